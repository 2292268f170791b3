import { shownName, type ViewerChange } from "@sealcast/keys";
import { TokenBucket } from "@sealcast/time";
import { PAGE_BUDGETS } from "../budgets.ts";
import { toJson } from "../json.ts";
import type { MediaSession } from "../media-session.ts";
import type { Breach } from "../peer/media-peer.ts";
import type { Receiver, Receivers } from "../peer/picture-encoding.ts";
import type { Connections } from "./connections.ts";
import type { PostToHostKeys } from "./host-keys.ts";
import { type FromHost, type FromViewer, parseFromViewer, type StreamWay } from "./messages.ts";
import { placeFor } from "./places.ts";
import { type Question, Questions } from "./questions.ts";
import type { RelayPublishing } from "./relay-publishing.ts";
import type { Watcher } from "./watcher.ts";

/** One viewer as the host knows them. */
export interface ViewerEntry {
  id: string;
  number: number;
  /** What they say that they are called; "" where they have not. */
  name: string;
  /**
   * `full`: waits for a place. `unable`: gets no video, since it decodes none of the usual codecs. A breach: this page closed the
   * connection for it. `relayed`: watches over relays, as they say.
   */
  is: "connecting" | "watching" | "relayed" | "away" | "full" | "unable" | Breach;
  /** They say that they record. */
  records: boolean;
}

export interface ViewersView {
  viewers: ViewerEntry[];
  /** Who came with a link that was replaced. */
  waiting: { id: string; number: number }[];
  questions: readonly Question[];
}

export const NO_VIEWERS: ViewersView = { viewers: [], waiting: [], questions: [] };

export interface ViewersActions {
  /** Turns a viewer out, gives new keys to the others, and replaces the link. */
  remove(id: string): void;
  /** The answer to someone who waits. */
  answer(id: string, yes: boolean): void;
  /** In text, to the viewer who asked or, where it `isShared`, to all, without a word of who asked. */
  answerQuestion(key: number, text: string, isShared: boolean): void;
  dismissQuestion(key: number): void;
}

/** A viewer whom the keys worker or one of their messages has made known. */
interface Known {
  readonly number: number;
  is: ViewerChange["is"];
  /** They have opened the host's answer, as their channel shows. */
  isProven: boolean;
  /** Null until their page has said that it is ready. */
  decodes: string[] | null;
  /** They were told that the stream is to be had over relays, and say that they see it. */
  isRelayed: boolean;
  seesRelayed: boolean;
  /** Whether their page plays the sound now: to one that does not, none is sent. */
  listens: boolean;
  /** Their page says that it records. */
  records: boolean;
  name: string;
  readonly names: TokenBucket;
  readonly messages: TokenBucket;
  readonly connections: TokenBucket;
  /** Why this page closed the connection to them, and makes no other. */
  breach: Breach | null;
}

/** What stands for all who watch over relays, where the codec is chosen. No viewer is called so. */
const RELAY = "relay";

interface ViewersOptions {
  media: MediaSession;
  connections: Connections;
  relay: RelayPublishing;
  post: PostToHostKeys;
  /** What a viewer is called. */
  name(number: number): string;
  /** What a viewer's page shows beside the picture. */
  state(): readonly FromHost[];
  /** Most bits per second of the picture, where it is encoded for one viewer. */
  limit(): number;
  show(change: Partial<ViewersView>): void;
}

/** Who watches: from the host's answer on they show, get a connection where there is room, and are heard. */
export class Viewers {
  readonly actions: ViewersActions = {
    remove: (id) => {
      this.#connections.hangUp(id);
      this.#post({ type: "remove", viewers: [id] });
    },
    answer: (viewer, yes) => {
      this.#post({ type: "admit", viewer, yes });
      // Who is let in says so by watching.
      this.#known.delete(viewer);
      this.show();
    },
    answerQuestion: (key, text, isShared) => {
      const answered = this.#questions.answer(key, text, isShared);
      if (answered === null) return;
      if (isShared) for (const message of this.#questions.shared) this.tellAll(message);
      else this.#tell(answered.viewer, { type: "answer", answer: answered.answer });
      this.#options.show({ questions: this.#questions.asked });
    },
    dismissQuestion: (key) => {
      this.#questions.dismiss(key);
      this.#options.show({ questions: this.#questions.asked });
    },
  };
  readonly #options: ViewersOptions;
  readonly #connections: Connections;
  readonly #media: MediaSession;
  readonly #post: PostToHostKeys;
  readonly #known = new Map<string, Known>();
  readonly #questions: Questions;
  #numbers = 0;

  constructor(options: ViewersOptions) {
    this.#options = options;
    this.#connections = options.connections;
    this.#media = options.media;
    this.#post = options.post;
    this.#questions = new Questions(options.media.life.clock);
  }

  /** Who has a connection, and what they decode. */
  get receivers(): Receivers {
    const { all } = this.#connections;
    const decodes = (id: string) => this.#known.get(id)?.decodes ?? null;
    const receivers = new Map<string, Receiver>();
    for (const [id, { media }] of all) receivers.set(id, { decodes: decodes(id), peer: media });
    const [first = [], ...others] = this.#relayed.map((id) => decodes(id) ?? []);
    const shared = first.filter((codec) => others.every((theirs) => theirs.includes(codec)));
    if (first.length > 0) receivers.set(RELAY, { decodes: shared, peer: this.#options.relay });
    return receivers;
  }

  /** What the keys worker says of them. */
  moved(changes: readonly ViewerChange[]): void {
    for (const change of changes) this.#moved(change);
    this.show();
  }

  message(from: string, body: Uint8Array): void {
    if (!this.#takesMessage(from)) return;
    const message = parseFromViewer(body);
    if (message === null) return;
    const known = this.#know(from);
    // What a viewer says proves it as well, and may come before the news of it.
    known.isProven = true;
    if (known.is === "answered") known.is = "watching";
    if (message.type === "question") return this.#asked(from, known, message.text);
    if (message.type === "name") return this.#named(known, message.name);
    if (message.type === "hello") return this.#greeted(from, message);
    if (message.type === "relayed") {
      known.seesRelayed = known.isRelayed;
      return this.show();
    }
    if (message.type === "listens") return this.#listens(from, message.listens);
    if (message.type === "records") {
      known.records = message.stage !== null;
      return this.show();
    }
    const watcher = this.#connections.all.get(from);
    if (watcher?.id === message.link) watcher.media.link.receive(message.signal);
  }

  tellAll(message: FromHost): void {
    for (const viewer of [...this.#connections.all.keys(), ...this.#relayed]) this.#tell(viewer, message);
  }

  /** The stream is to be had over relays, in another codec, or not any more. */
  relayChanged(): void {
    for (const viewer of this.#relayed) this.#tellRelay(viewer);
    this.#letIn();
    this.show();
  }

  /** Nothing more goes to that session of a viewer, nor is anything more taken from it. */
  breached(viewer: string, breach: Breach): void {
    const known = this.#know(viewer);
    known.breach = breach;
    this.#setRelayed(known, false);
    this.#media.drop(breach);
    this.#connections.hangUp(viewer);
    this.#letIn();
    this.show();
  }

  /** How a connection stands changed. */
  linked(watcher: Watcher, viewer: string | null): void {
    const isOver = watcher.media.state === "reconnecting" && viewer !== null && this.#known.get(viewer)?.is === "left";
    if (isOver) this.#letGo(viewer);
    this.show();
  }

  clear(): void {
    this.#known.clear();
    this.#options.relay.want(false);
  }

  show(): void {
    const entries = [...this.#known].map(([id, known]) => ({ id, number: known.number, known }));
    // From the host's answer on: who may soon hold the keys can be seen, and removed.
    const viewers = entries.flatMap(({ id, number, known }): ViewerEntry[] =>
      known.is === "waiting"
        ? []
        : [{ id, number, name: known.name, is: this.#standing(id, known), records: known.records }],
    );
    const waiting = entries.flatMap(({ id, number, known }) => (known.is === "waiting" ? [{ id, number }] : []));
    this.#options.show({ viewers, waiting });
  }

  #moved({ viewer, is }: ViewerChange): void {
    const { all } = this.#connections;
    // The server's word ends no connection that works: see `linked`.
    const isKept = is === "left" && all.get(viewer)?.media.state === "connected";
    if (is === "gone" || (is === "left" && !isKept)) return this.#letGo(viewer);
    const known = this.#know(viewer);
    known.is = is;
    known.isProven ||= is === "watching";
    // The way to the picture is begun while the viewer still reads the answer.
    const hasKeys = (is === "answered" || is === "watching") && known.breach === null;
    if (hasKeys && !all.has(viewer)) this.#send(viewer);
  }

  #letGo(viewer: string): void {
    this.#questions.leave(this.#known.get(viewer)?.number ?? 0);
    this.#known.delete(viewer);
    this.#connections.hangUp(viewer);
    this.#wantRelay();
    this.#letIn();
  }

  /** Those who watch over relays. */
  get #relayed(): string[] {
    return [...this.#known].flatMap(([viewer, { isRelayed }]) => (isRelayed ? [viewer] : []));
  }

  #know(viewer: string): Known {
    const known = this.#known.get(viewer) ?? {
      number: ++this.#numbers,
      is: "answered",
      isProven: false,
      decodes: null,
      isRelayed: false,
      seesRelayed: false,
      listens: false,
      records: false,
      name: "",
      names: new TokenBucket(PAGE_BUDGETS.names, this.#media.life.clock),
      messages: new TokenBucket(PAGE_BUDGETS.messages, this.#media.life.clock),
      connections: new TokenBucket(PAGE_BUDGETS.connections, this.#media.life.clock),
      breach: null,
    };
    this.#known.set(viewer, known);
    return known;
  }

  /** Whether a viewer's next message counts. Who sends too many loses their connection. */
  #takesMessage(viewer: string): boolean {
    const known = this.#know(viewer);
    if (known.breach === null && known.messages.take() < 0) this.breached(viewer, "flood");
    return known.breach === null;
  }

  #named(known: Known, name: string): void {
    if (!known.names.tryTake()) return this.#media.drop("names");
    known.name = shownName(name);
    this.show();
  }

  #asked(viewer: string, { number, name }: Known, text: string): void {
    if (this.#questions.ask({ viewer, number, name, text })) this.#options.show({ questions: this.#questions.asked });
    else this.#media.drop("questions");
  }

  #listens(viewer: string, listens: boolean): void {
    this.#know(viewer).listens = listens;
    void this.#connections.all.get(viewer)?.media.refresh();
  }

  #greeted(viewer: string, { decodes, fresh, listens, unreached }: Extract<FromViewer, { type: "hello" }>): void {
    const known = this.#know(viewer);
    const isFirst = known.decodes === null;
    known.decodes = decodes;
    this.#listens(viewer, listens);
    const { media } = this.#connections.all.get(viewer) ?? {};
    if (isFirst && media) return this.#media.encoding.choose();
    if (!fresh && media?.state === "connected") return this.#tellState(viewer);
    if (known.connections.take() < 0) return this.breached(viewer, "flood");
    // Without relays that connection is all there is, and goes on being tried.
    if (unreached === "connection" && media && !this.#hasRelays) return;
    this.#connections.hangUp(viewer);
    if (!this.#send(viewer, unreached)) this.#tell(viewer, { type: "full" });
    this.show();
  }

  /** There may be room again for those who wait. */
  #letIn(): void {
    for (const [viewer, known] of this.#known) {
      if (!this.#waits(viewer, known)) continue;
      if (!(known.isRelayed ? this.#connect(viewer) : this.#send(viewer))) return;
    }
  }

  #waits(viewer: string, { is, decodes, isRelayed, breach }: Known): boolean {
    const hasWay = this.#connections.all.has(viewer) || (isRelayed && this.#hasRelays);
    return is === "watching" && decodes !== null && breach === null && !hasWay;
  }

  /** Viewers find the stream at relays, as far as is known. */
  get #hasRelays(): boolean {
    const { isOffered, offer } = this.#options.relay;
    return isOffered && offer?.type !== "full";
  }

  /** `unreached`: the way that does not come about. False: there is no room for this viewer now. */
  #send(viewer: string, unreached?: StreamWay): boolean {
    if (unreached === "connection" && this.#hasRelays && this.#relay(viewer)) return true;
    return this.#connect(viewer) || this.#relay(viewer);
  }

  /** False: this viewer cannot be told to watch over relays. */
  #relay(viewer: string): boolean {
    const { relay, media } = this.#options;
    const known = this.#know(viewer);
    if (!relay.isOffered || known.decodes === null || known.breach !== null) return false;
    this.#setRelayed(known, true);
    media.encoding.choose();
    this.#tellState(viewer);
    this.#tellRelay(viewer);
    return true;
  }

  /** Whether this viewer is to watch over relays. */
  #setRelayed(known: Known, isRelayed: boolean): void {
    known.isRelayed = isRelayed;
    known.seesRelayed = false;
    this.#wantRelay();
  }

  #wantRelay(): void {
    this.#options.relay.want(this.#relayed.length > 0);
  }

  #tellRelay(viewer: string): void {
    const { offer } = this.#options.relay;
    if (offer === null) return;
    if (offer.type === "full") this.#know(viewer).seesRelayed = false;
    this.#tell(viewer, offer);
  }

  /** False: there is no room for a connection to this viewer now. */
  #connect(viewer: string): boolean {
    const { name, limit } = this.#options;
    const { number, isProven } = this.#know(viewer);
    const holders = [...this.#connections.all.keys()].map((id) => [id, this.#know(id).isProven] as const);
    const place = placeFor(isProven, new Map(holders), this.#connections.most);
    if (place === null) return false;
    if (place.is === "taken") this.#connections.hangUp(place.from);
    const watcher = this.#connections.give(viewer);
    if (watcher === null) return false;
    this.#setRelayed(this.#know(viewer), false);
    void watcher.media.limit(limit());
    this.#tellState(viewer);
    watcher.meet({
      name: name(number),
      listens: () => this.#known.get(viewer)?.listens ?? false,
      signal: (signal) => this.#tell(viewer, { type: "signal", link: watcher.id, signal }),
    });
    this.#media.encoding.choose();
    return true;
  }

  #tell(to: string, message: FromHost): void {
    this.#post({ type: "send", to, body: toJson(message) });
  }

  #tellState(viewer: string): void {
    for (const message of [...this.#options.state(), ...this.#questions.shared]) this.#tell(viewer, message);
  }

  #standing(viewer: string, { is, decodes, isRelayed, seesRelayed, breach }: Known): ViewerEntry["is"] {
    if (breach !== null) return breach;
    const watcher = this.#connections.all.get(viewer);
    if (watcher?.media.state === "connected") return watcher.media.codec === null ? "unable" : "watching";
    if (is === "away") return "away";
    if (watcher === undefined && isRelayed && this.#hasRelays) return seesRelayed ? "relayed" : "connecting";
    return watcher === undefined && decodes !== null ? "full" : "connecting";
  }
}
