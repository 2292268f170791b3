import { LiveHostKeys, newLiveRoom } from "@sealcast/keys";
import hostUrl from "@sealcast/keys/live-host-worker?worker&url";
import { hostRoom, type LiveSignalling } from "@sealcast/network";
import type { LiveKeysPage, LiveState } from "../shared/live-keys.ts";

/** A live host's page without a picture: its keys worker and its socket, joined as the product joins them. */
export function liveKeys(): LiveKeysPage {
  const watching: string[] = [];
  const tasks = new LongestTask();
  let keys: LiveHostKeys | null = null;
  let onChange: () => void = () => undefined;
  return {
    hostLive: async () => {
      const made = await newLiveRoom(spawn());
      return new Promise((resolve) => {
        let signalling: LiveSignalling | null = null;
        keys = new LiveHostKeys(spawn(), made, (message) => {
          const since = performance.now();
          if (message.type === "to-room") signalling?.send(message.message);
          else if (message.type === "viewers") {
            for (const { viewer, is } of message.changes) if (is === "watching") watching.push(viewer);
            onChange();
          } else if (message.type === "hosting") {
            const { room, fragment, token, load } = message;
            signalling = hostRoom(
              `ws://${location.host}/signal`,
              { room, token, load },
              {
                event(event) {
                  const begun = performance.now();
                  if (event.type === "hosting") resolve({ room, fragment });
                  keys?.post({ type: "room", event });
                  tasks.took(performance.now() - begun);
                },
                status: () => undefined,
                unreadable: () => undefined,
                fault: ({ code }) => {
                  throw new Error(`the server ended the session: ${code}`);
                },
              },
            );
          }
          tasks.took(performance.now() - since);
        });
      });
    },
    async allWatching(count) {
      while (watching.length < count) {
        await new Promise<void>((changed) => {
          onChange = changed;
        });
      }
    },
    async removeLast() {
      keys?.post({ type: "remove", viewers: watching.slice(-1) });
    },
    liveState: async (): Promise<LiveState> => ({ longestTaskMs: tasks.longest }),
    async forgetLongTasks() {
      tasks.longest = 0;
    },
  };
}

/** The page comes from the product's server, under whose policy scripts of workers are to be named. */
function spawn(): Worker {
  const policy = window.trustedTypes?.createPolicy("sealcast-workers", { createScriptURL: (url) => url });
  return new Worker((policy?.createScriptURL(hostUrl) ?? hostUrl) as unknown as string, { type: "module" });
}

/** The browser tells of tasks over 50 ms only; of shorter ones our own handlers are timed. */
class LongestTask {
  longest = 0;

  constructor() {
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) this.took(duration);
    }).observe({ type: "longtask" });
  }

  took(ms: number): void {
    this.longest = Math.max(this.longest, ms);
  }
}
