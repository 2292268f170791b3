import type { PublishedFrame, PublishingWish } from "@sealcast/protocol";
import { every, milli, systemClock } from "@sealcast/time";
import type { FromLiveRelay, LiveRelayAccess, LiveRelayState, ToLiveRelay } from "./messages.ts";
import { LiveRelayPublisher } from "./publisher.ts";
import { RepeatedTrack } from "./repeated-track.ts";
import { LiveRelaySubscriber } from "./subscriber.ts";

declare const self: DedicatedWorkerGlobalScope;

/** The server does not answer who asks too often. */
const ANSWER_WITHIN = milli(5_000);
/** How often the page hears how long frames took. */
const WAITS_EVERY = milli(1_000);

// The relay's client writes addresses with the token that lets this page in, which people paste when they ask for help.
for (const level of ["debug", "info", "log", "warn", "error"] as const) console[level] = () => undefined;

let hear: (message: ToLiveRelay) => void = (message) => {
  if (message.type === "publish") hear = publish(message);
  else if (message.type === "subscribe") hear = subscribe(message);
};
let answered: (access: LiveRelayAccess | null) => void = () => undefined;

const session = {
  access: () =>
    new Promise<LiveRelayAccess | null>((resolve) => {
      answered = resolve;
      systemClock.after(ANSWER_WITHIN, () => resolve(null));
      tell({ type: "need-access" });
    }),
  state: (state: LiveRelayState) => tell({ type: "state", state }),
};

self.addEventListener("message", ({ data }: MessageEvent<ToLiveRelay>) => {
  if (data.type === "access") answered(data.access);
  else hear(data);
});

/** What is sealed and signed elsewhere goes out as it comes. */
function publish({ tracks, signatures }: Extract<ToLiveRelay, { type: "publish" }>): typeof hear {
  const watched = new Set<string>();
  let feed: MessagePort | null = null;
  const tellFeed = (message: PublishingWish) => feed?.postMessage(message);
  const publisher = new LiveRelayPublisher(
    {
      ...session,
      watched: (track, isWatched) => {
        if (isWatched) watched.add(track);
        else watched.delete(track);
        if (track === signatures && isWatched) signed.starts();
        tellFeed({ type: "watched", track, isWatched });
      },
      starts: (track) => (track === signatures ? signed.starts() : tellFeed({ type: "starts", track })),
    },
    [...tracks, signatures],
  );
  const signed = new RepeatedTrack((batch, startsGroup) => {
    const timestampUs = Math.round(1_000 * systemClock.now());
    return publisher.write(signatures, batch, { startsGroup, timestampUs });
  });
  const waits = new Waits();
  return (message) => {
    if (message.type === "signed") return signed.write(message.batch);
    if (message.type !== "feed") return;
    feed?.close();
    feed = message.port;
    feed.onmessage = ({ data: { track, data, sealedAtMs, ...when } }: MessageEvent<PublishedFrame>) => {
      const isOut = publisher.write(track, data, when);
      if (isOut) waits.add(track, performance.timeOrigin + systemClock.now() - sealedAtMs);
    };
    for (const track of watched) tellFeed({ type: "watched", track, isWatched: true });
  };
}

/** How long frames took from their sealing until the relays' session had them. */
class Waits {
  readonly #byTrack = new Map<string, { frames: number; ms: number }>();

  constructor() {
    every(systemClock, WAITS_EVERY, () => {
      for (const [track, of] of this.#byTrack) tell({ type: "published", track, ...of });
    });
  }

  add(track: string, ms: number): void {
    const { frames, ms: before } = this.#byTrack.get(track) ?? { frames: 0, ms: 0 };
    this.#byTrack.set(track, { frames: frames + 1, ms: before + ms });
  }
}

function subscribe({ begin }: Extract<ToLiveRelay, { type: "subscribe" }>): typeof hear {
  const ports = new Map<string, MessagePort>();
  const subscriber = new LiveRelaySubscriber({
    ...session,
    begin,
    frame: (track, frame) => ports.get(track)?.postMessage(frame, [frame.data.buffer]),
    cut: () => undefined,
  });
  return (message) => {
    if (message.type === "watch") {
      ports.get(message.track)?.close();
      ports.set(message.track, message.port);
      subscriber.watch(message.track, message.priority);
    } else if (message.type === "unwatch") {
      subscriber.unwatch(message.track);
      ports.get(message.track)?.close();
      ports.delete(message.track);
    } else if (message.type === "leave") subscriber.leave();
  };
}

function tell(message: FromLiveRelay): void {
  self.postMessage(message);
}
