import { Broadcast, Group, Path, Time, type Track } from "@moq/net";
import { LiveRelaySession, type SessionOptions } from "./session.ts";

/** Milliseconds for which a group is kept that is not the newest: later it is of no use to anyone. */
const KEPT = 2_000;
/** Frames of a group: past these the relays let go of its beginning, so it is ended and a new one awaited. */
const MAX_FRAMES = 1_000;

interface PublisherEvents extends SessionOptions {
  /** A relay asks for this track, since someone watches it, or for none of it any more. */
  watched(track: string, isWatched: boolean): void;
  /** A session began: nothing of this track goes out before a frame that starts a group. */
  starts(track: string): void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Sends tracks of opaque frames to a relay, for as long as it lives: over another session, and at another relay, when one is lost. A
 * track is groups of frames; who comes later begins with the newest group. What is written while there is no session is left out.
 */
export class LiveRelayPublisher {
  readonly #events: PublisherEvents;
  readonly #session: LiveRelaySession;
  readonly #tracks = new Map<string, PublishedTrack>();
  #broadcast: Broadcast.Producer | null = null;

  constructor(events: PublisherEvents, tracks: readonly string[]) {
    this.#events = events;
    for (const name of tracks) this.#tracks.set(name, new PublishedTrack(name, events));
    this.#session = new LiveRelaySession(events, {
      opened: (session, { name }) => {
        this.#begin();
        if (this.#broadcast) session.publish(Path.from(name), this.#broadcast);
      },
      lost: () => this.#end(),
    });
  }

  /** `startsGroup`: it can be opened without those before it. `timestampUs` is what relays go by; they see it. False: left out. */
  write(track: string, frame: Uint8Array, { startsGroup, timestampUs }: { startsGroup: boolean; timestampUs: number }) {
    return this.#tracks.get(track)?.write(frame, startsGroup, timestampUs) ?? false;
  }

  close(): void {
    this.#session.close();
    this.#end();
  }

  /** A session that ends ends what it published: all is new with each. */
  #begin(): void {
    this.#broadcast = new Broadcast.Producer();
    for (const track of this.#tracks.values()) track.begin(this.#broadcast);
    for (const name of this.#tracks.keys()) this.#events.starts(name);
  }

  #end(): void {
    for (const track of this.#tracks.values()) track.end();
    this.#broadcast?.close();
    this.#broadcast = null;
  }
}

/** As the computer's clock had it when this worker began, and on from there: a clock that is set back meanwhile sets back no numbers. */
const now = () => performance.timeOrigin + performance.now();

class PublishedTrack {
  readonly #name: string;
  readonly #events: Pick<PublisherEvents, "watched" | "now">;
  #producer: Track.Producer | null = null;
  #stopWatching: () => void = () => undefined;
  #group: Group.Producer | null = null;
  #frames = 0;
  /**
   * Of the last group: an older number is a group that was already there. By the clock, so that who publishes the stream again goes on
   * from there, and who comes later reads in it nothing of how long relays have been watched.
   */
  #sequence = 0;

  constructor(name: string, events: Pick<PublisherEvents, "watched" | "now">) {
    this.#name = name;
    this.#events = events;
  }

  begin(broadcast: Broadcast.Producer): void {
    const producer = broadcast.createTrack(this.#name, { latencyMax: KEPT, timescale: Time.Timescale.MICRO });
    this.#producer = producer;
    this.#stopWatching = producer.used.subscribe((isUsed) => {
      // One that is open is kept for the next who comes, however much later.
      if (!isUsed) this.#group?.close();
      this.#events.watched(this.#name, isUsed);
    });
  }

  end(): void {
    this.#stopWatching();
    if (this.#producer?.used.peek()) this.#events.watched(this.#name, false);
    this.#group?.close();
    this.#group = null;
    this.#producer?.close();
    this.#producer = null;
  }

  write(payload: Uint8Array, startsGroup: boolean, timestampUs: number): boolean {
    if (this.#producer === null || !this.#producer.used.peek() || this.#producer.closed.peek() !== undefined)
      return false;
    if (startsGroup) this.#nextGroup(this.#producer);
    if (this.#group === null || this.#group.isClosed) return false;
    this.#group.writeFrame({ payload, timestamp: Time.Timestamp.fromMicros(timestampUs) });
    if (++this.#frames >= MAX_FRAMES) this.#group.close();
    return true;
  }

  #nextGroup(producer: Track.Producer): void {
    this.#group?.close();
    this.#sequence = Math.max(this.#sequence + 1, Math.round((this.#events.now ?? now)()));
    this.#group = new Group.Producer(this.#sequence);
    this.#frames = 0;
    producer.writeGroup(this.#group);
  }
}
