import { type Broadcast, Path, type Track } from "@moq/net";
import type { RelayedFrame } from "@sealcast/protocol";
import { type Cancel, type Clock, every, type Milli, milli, systemClock } from "@sealcast/time";
import { readGroups } from "./groups.ts";
import { LiveRelaySession, type SessionOptions } from "./session.ts";

/** Milliseconds for which a group is of use that is not the newest. */
const OF_USE = 1_000;
/**
 * Milliseconds: a relay begins with the last group that it had of a track, also where nobody has watched that for minutes. Of what
 * began earlier than this, the host does not say any more that it signed it.
 */
const OLD = 4_000;
/** A relay from which nothing comes for so long is left for another one. */
const SILENT = milli(2_000);
/** Twice as long each time that nothing came from the other one either. */
const SILENT_AT_MOST = milli(30_000);
const LOOK_EVERY = milli(250);
/** After its end. */
const TAKEN_AGAIN = milli(2_000);

interface SubscriberEvents extends SessionOptions {
  /** Groups rise, whatever relays call them and whichever track is watched, and frames of each come in order. */
  frame(track: string, frame: RelayedFrame): void;
  /** Of a group no more comes: a newer one is there, or it was lost on the way. */
  cut(track: string, group: number): void;
}

interface Wanted {
  priority: number;
  /** Null while there is no session in which the stream is there. */
  from: Track.Subscriber | null;
  /** What came last, as its relay calls it: another relay begins with the same group once more. */
  last: Pick<RelayedFrame, "group" | "index"> | null;
  /** That group's number in what is handed on. */
  group: number;
  /** Since when all that comes is older than that; null: something newer came, or nothing. */
  olderSince: Milli | null;
  /** Something newer came of the stream as it is in this session. */
  isFollowed: boolean;
}

/**
 * Takes tracks of a stream from a relay, for as long as it lives: over another session, and from another relay, when one is lost or
 * nothing comes from it. Of what the stream was before only the newest group comes.
 */
export class LiveRelaySubscriber {
  readonly #events: SubscriberEvents;
  readonly #session: LiveRelaySession;
  readonly #clock: Clock;
  readonly #wanted = new Map<string, Wanted>();
  readonly #stopLooking: Cancel;
  /** Followed so far, of all tracks: by this they are numbered, as relays' numbers may begin again, and a player drops what is lower. */
  #groups = 0;
  /** The last group to be followed, of any track, as the relay calls it: by the host's clock; and when it was there. */
  #latest: { readonly group: number; readonly at: Milli } | null = null;
  #stream: Broadcast.Consumer | null = null;
  #stopWatching: Cancel = () => undefined;
  /** When something new came last, or the session began; null without a session. */
  #heardAt: Milli | null = null;
  #patience: Milli = SILENT;

  constructor(events: SubscriberEvents) {
    this.#events = events;
    this.#clock = events.clock ?? systemClock;
    this.#session = new LiveRelaySession(events, {
      opened: (session, { name }) => {
        this.#heardAt = this.#clock.now();
        const watched = session.announcedBroadcast(Path.from(name));
        const stop = watched.active.subscribe((stream) => this.#is(stream ?? null));
        this.#stopWatching = () => {
          stop();
          watched.close();
        };
      },
      lost: () => this.#lost(),
    });
    this.#stopLooking = every(this.#clock, LOOK_EVERY, () => this.#look());
  }

  /** From now on the track comes. What has the higher priority comes first where not all can. */
  watch(track: string, priority: number): void {
    const known = this.#wanted.get(track);
    if (known?.priority === priority) return;
    if (known) known.from?.update({ priority, latencyMax: OF_USE });
    const wanted = known ?? { priority, from: null, last: null, group: 0, olderSince: null, isFollowed: false };
    wanted.priority = priority;
    this.#wanted.set(track, wanted);
    if (!known) this.#take(track, wanted);
  }

  unwatch(track: string): void {
    this.#wanted.get(track)?.from?.close();
    this.#wanted.delete(track);
  }

  /** What is wanted does not come from this relay, whatever else does: on to the next one. */
  leave(): void {
    this.#session.leave();
  }

  close(): void {
    this.#stopLooking();
    this.#session.close();
    this.#lost();
  }

  /** The stream is at this relay, another one than before, or not. */
  #is(stream: Broadcast.Consumer | null): void {
    this.#stream = stream;
    for (const [track, wanted] of this.#wanted) this.#take(track, wanted);
  }

  #take(track: string, wanted: Wanted): void {
    wanted.from?.close();
    wanted.olderSince = null;
    wanted.isFollowed = false;
    const from = this.#stream?.track(track).subscribe({ priority: wanted.priority, latencyMax: OF_USE }) ?? null;
    wanted.from = from;
    if (from === null) return;
    const reading = readGroups(from, {
      clock: this.#clock,
      frame: (frame) => {
        // Numbers that begin again are followed in another session, or stream. In the same one they are what was there already.
        const beginsAgain = !wanted.isFollowed && this.#isDeafTo(wanted, SILENT);
        if (beginsAgain) wanted.last = null;
        const isOld = !wanted.isFollowed && !beginsAgain && this.#isOld(frame);
        if (isOld || !isAfter(frame, wanted.last)) return this.#older(wanted);
        this.#heard(wanted, frame);
        this.#events.frame(track, { ...frame, group: wanted.group });
      },
      cut: (group) => {
        if (group === wanted.last?.group) this.#events.cut(track, wanted.group);
      },
    });
    void reading.then(() => this.#clock.after(TAKEN_AGAIN, () => this.#takeAgain(track, from)));
  }

  /** A relay ended that track alone: the others go on, and say nothing of it. */
  #takeAgain(track: string, ended: Track.Subscriber): void {
    const wanted = this.#wanted.get(track);
    if (wanted?.from === ended) this.#take(track, wanted);
  }

  #heard(wanted: Wanted, frame: RelayedFrame): void {
    if (frame.group !== wanted.last?.group) {
      wanted.group = this.#groups++;
      this.#latest = { group: frame.group, at: this.#clock.now() };
    }
    wanted.last = frame;
    wanted.olderSince = null;
    wanted.isFollowed = true;
    this.#heardAt = this.#clock.now();
    this.#patience = SILENT;
    this.#session.useful();
  }

  #isOld({ group }: RelayedFrame): boolean {
    return this.#latest !== null && group < this.#latest.group + this.#clock.now() - this.#latest.at - OLD;
  }

  #older(wanted: Wanted): void {
    wanted.olderSince ??= this.#clock.now();
  }

  /** For so long all that came of a track was older than something that came before. */
  #isDeafTo({ olderSince }: Wanted, forSoLong: Milli): boolean {
    return olderSince !== null && this.#clock.now() - olderSince >= forSoLong;
  }

  #lost(): void {
    this.#heardAt = null;
    this.#stopWatching();
    this.#stopWatching = () => undefined;
    for (const wanted of this.#wanted.values()) wanted.from?.close();
    this.#is(null);
  }

  #look(): void {
    if (this.#heardAt === null || this.#wanted.size === 0) return;
    const tracks = [...this.#wanted.values()];
    const isDeaf = tracks.some((wanted) => wanted.isFollowed && this.#isDeafTo(wanted, this.#patience));
    // What begins again is waited for until it is followed.
    const begun = tracks.flatMap(({ isFollowed, olderSince }) =>
      isFollowed || olderSince === null ? [] : [olderSince + SILENT],
    );
    if (!isDeaf && this.#clock.now() - Math.max(this.#heardAt, ...begun) < this.#patience) return;
    this.#patience = milli(Math.min(this.#patience * 2, SILENT_AT_MOST));
    this.#session.leave();
  }
}

function isAfter({ group, index }: RelayedFrame, last: Wanted["last"]): boolean {
  return last === null || group > last.group || (group === last.group && index > last.index);
}
