import { type FromHostKeys, LiveHostKeys, newLiveRoom } from "@sealcast/keys";
import hostUrl from "@sealcast/keys/live-host-worker?worker&url";
import { hostRoom } from "@sealcast/network";
import type { LiveKeysPage, LiveState } from "./live-keys.ts";

type LiveFromHost = Extract<FromHostKeys, { type: "to-room" }>["message"];

/** A live host's page without a picture: its keys worker and its socket, joined as the product joins them. */
export function liveKeys(): LiveKeysPage {
  const watching: string[] = [];
  const tasks = new LongestTask();
  let keys: LiveHostKeys | null = null;
  let onChange: () => void = () => undefined;
  return {
    hostLive: async () => {
      const spawn = spawner();
      const made = await newLiveRoom(spawn());
      return new Promise((resolve) => {
        let signalling: ReturnType<typeof hostRoom> | null = null;
        const toRoom = (message: LiveFromHost) => {
          if (message.type === "host") signalling?.enter(message);
          else signalling?.send(message);
        };
        keys = new LiveHostKeys(spawn(), made, (message) => {
          const since = performance.now();
          if (message.type === "to-room") toRoom(message.message);
          else if (message.type === "viewers") {
            for (const { viewer, is } of message.changes) if (is === "watching") watching.push(viewer);
            onChange();
          } else if (message.type === "hosting") {
            const { room, fragment } = message;
            signalling = hostRoom(`ws://${location.host}/signal`, {
              challenge: (nonce) => keys?.post({ type: "room", event: { type: "challenge", nonce } }),
              event(event) {
                const begun = performance.now();
                if (event.type === "hosting") resolve({ room, fragment });
                keys?.post({ type: "room", event });
                tasks.took(performance.now() - begun);
              },
              status: () => undefined,
              unreadable: () => undefined,
              fault: ({ code }) => {
                throw new Error(`the server ended the socket: ${code}`);
              },
            });
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

/** The page comes from the product's server, under whose policy scripts of workers are to be named, and a policy made once. */
function spawner(): () => Worker {
  const policy = window.trustedTypes?.createPolicy("sealcast-workers", { createScriptURL: (url) => url });
  const url = (policy?.createScriptURL(hostUrl) ?? hostUrl) as unknown as string;
  return () => new Worker(url, { type: "module" });
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
