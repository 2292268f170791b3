import type { ViewerChange } from "@sealcast/keys";
import { ManualClock, milli } from "@sealcast/time";
import { toJson } from "../json.ts";
import { Lifetime } from "../lifetime.ts";
import type { TimedLink } from "../measuring/timing.ts";
import { CodecChoice } from "../peer/codec-choice.ts";
import type { ViewerEntry } from "./known-viewers.ts";
import type { FromHost, FromViewer } from "./messages.ts";
import type { Question } from "./questions.ts";
import { Viewers, type ViewersView } from "./viewers.ts";

const ALL = ["video/h264", "video/vp8", "video/vp9", "video/av1"];

/** What the host's page answers who asks of times. */
const CLOCK = { type: "clock", asked: 1, came: 2, left: 3 } as const;

type Way = "connection" | "relay";

/** A host's page: its viewers, with ways to them that carry nothing. Choices of codecs are those of a browser that has all. */
export class TestHost {
  readonly clock = new ManualClock();
  readonly told: { to: string; message: FromHost }[] = [];
  readonly posted: { type: string }[] = [];
  readonly viewers: Viewers;
  /** How often the list was drawn, and the codec chosen. */
  drawn = 0;
  /** How often a viewer was to hear how the stream stands. */
  states = 0;
  chosen = 0;
  shown: ViewerEntry[] = [];
  isLate = false;
  questions: readonly Question[] = [];
  readonly dropped: string[] = [];
  /** In which the picture goes to relays. */
  relayedAs: string | null | undefined;
  #isMissing = false;
  readonly #codecs = new CodecChoice(this.clock, () => this.#choose());
  readonly #connections = new Map<string, { id: string; media: TestMedia; meet: () => void }>();

  constructor(most: number, ways: readonly Way[] = ["connection", "relay"]) {
    const options = {
      media: {
        ...{ life: new Lifetime(this.clock), drop: (why: string) => this.dropped.push(why), encoding: this.#encoding },
        parts: { timing: { take: (to: TimedLink) => to.tellTiming(CLOCK) } },
      },
      connections: {
        ...{ all: this.#connections, most },
        give: (viewer: string) => this.#give(viewer),
        hangUp: (viewer: string) => this.#connections.delete(viewer) && this.#choose(),
      },
      relay: this.#relay(ways.includes("relay")),
      post: (message: { type: string; to?: string; body?: Uint8Array }) => this.#posts(message),
      name: String,
      state: () => {
        this.states++;
        return [];
      },
      limit: () => 1,
      show: ({ viewers, isLate = false, questions = this.questions }: Partial<ViewersView>) => {
        this.questions = questions;
        if (viewers === undefined) return;
        this.drawn++;
        this.shown = viewers;
        this.isLate = isLate;
      },
    };
    this.viewers = new Viewers(options as unknown as ConstructorParameters<typeof Viewers>[0]);
  }

  /** How each viewer on the list stands, once it is drawn. */
  get standing(): Record<string, string> {
    this.clock.advance(milli(200));
    return Object.fromEntries(this.shown.map(({ id, is }) => [id, is]));
  }

  is(viewer: string, is: ViewerChange["is"]): void {
    this.viewers.moved([{ viewer, is }]);
  }

  says(viewer: string, message: FromViewer): void {
    this.viewers.message(viewer, new Uint8Array(toJson(message)));
  }

  hello(
    viewer: string,
    decodes: string[] = ALL,
    more: { plays?: string[]; fresh?: boolean; unreached?: Way } = {},
  ): void {
    this.says(viewer, { type: "hello", decodes, plays: decodes, fresh: true, listens: true, ...more });
  }

  /** They are let in, and their page is ready. */
  comes(viewer: string, decodes: string[] = ALL, plays = decodes): void {
    for (const is of ["answered", "watching"] as const) this.is(viewer, is);
    this.hello(viewer, decodes, { plays });
  }

  relayed(viewer: string, late = false): void {
    this.says(viewer, { type: "relayed", shown: true, ...(late && { late }) });
  }

  connected(viewer: string): void {
    this.linked(viewer, "connected");
  }

  linked(viewer: string, state: TestMedia["state"]): void {
    const watcher = this.#connections.get(viewer);
    if (watcher === undefined) throw new Error(`${viewer} has no connection`);
    watcher.media.state = state;
    this.viewers.linked(watcher as unknown as Parameters<Viewers["linked"]>[0], viewer);
  }

  /** No relay is reached any more. */
  losesRelays(): void {
    this.#isMissing = true;
    this.viewers.relayChanged();
  }

  /** The messages of this type that went to that viewer. */
  toldOf<T extends FromHost["type"]>(viewer: string, type: T): Extract<FromHost, { type: T }>[] {
    const messages = this.told.flatMap(({ to, message }) => (to === viewer && message.type === type ? [message] : []));
    return messages as Extract<FromHost, { type: T }>[];
  }

  #relay(isOffered: boolean) {
    const codec = () => this.relayedAs;
    const open = () => {
      if (this.#isMissing) return { type: "full" };
      return codec() && codec() === this.#codecs.shared ? { type: "relay", codec: codec(), sizes: [] } : null;
    };
    return {
      ...{ isOffered, isLinked: true, serves: "many", want: () => undefined, encodeOnce: async () => undefined },
      get codec() {
        return codec();
      },
      // As RelayPublishing has it: what is encoded once for several goes there.
      get offer() {
        return open();
      },
      timedFor: (viewer: TimedLink) => viewer,
      encodeAs: async (as: string | null) => {
        if (as === this.relayedAs) return;
        this.relayedAs = as;
        this.viewers.relayChanged();
      },
    };
  }

  #give(viewer: string) {
    const media: TestMedia = { state: "connecting", codec: undefined, ...this.#peer() };
    media.encodeAs = async (codec) => {
      media.codec = codec;
    };
    const watcher = { id: viewer, media, meet: () => undefined };
    this.#connections.set(viewer, watcher);
    return watcher;
  }

  #peer() {
    const nothing = async () => undefined;
    return { isLinked: true, limit: nothing, refresh: nothing, encodeOnce: nothing, encodeAs: nothing };
  }

  #posts({ type, to, body }: { type: string; to?: string; body?: Uint8Array }): void {
    if (type !== "send" || to === undefined) return void this.posted.push({ type });
    this.told.push({ to, message: JSON.parse(new TextDecoder().decode(body)) });
  }

  readonly #encoding = {
    choose: () => this.#choose(),
    with: (id: string, decodes: readonly string[], without: string) => this.#codecs.with(ALL, id, decodes, without),
  };

  #choose(): void {
    this.chosen++;
    const { receivers } = this.viewers;
    const chosen = this.#codecs.choose(ALL, new Map([...receivers].map(([id, { decodes }]) => [id, decodes])));
    for (const [id, codec] of chosen) void receivers.get(id)?.peer.encodeAs(codec);
  }
}

interface TestMedia {
  state: "connecting" | "connected" | "reconnecting";
  codec: string | null | undefined;
  isLinked: boolean;
  limit(): Promise<void>;
  refresh(): Promise<void>;
  encodeOnce(): Promise<void>;
  encodeAs(codec: string | null): Promise<void>;
}
