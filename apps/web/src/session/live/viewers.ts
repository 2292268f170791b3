import { shownName, type ViewerChange } from "@sealcast/keys";
import { atMostEvery, milli, TokenBucket } from "@sealcast/time";
import { TIMINGS_OF_ALL } from "../budgets.ts";
import { toJson } from "../json.ts";
import { computerTime } from "../measuring/timing.ts";
import type { MediaSession } from "../media-session.ts";
import type { Breach } from "../peer/media-peer.ts";
import type { Receivers } from "../peer/picture-encoding.ts";
import type { Connections } from "./connections.ts";
import type { PostToHostKeys } from "./host-keys.ts";
import { type KnownViewer, KnownViewers, type ViewerEntry } from "./known-viewers.ts";
import { type FromHost, type FromViewer, parseFromViewer } from "./messages.ts";
import { type Question, Questions } from "./questions.ts";
import type { RelayPublishing } from "./relay-publishing.ts";
import { StreamWays } from "./stream-ways.ts";
import type { Watcher } from "./watcher.ts";

/** Between two times that the list of viewers is drawn: each of thousands may say something at any time. */
const DRAWN_EVERY = milli(200);
/** Between two times that all viewers are told what they can upvote. */
const TOLD_EVERY = milli(1_000);
type TimingQuestion = Extract<FromViewer, { type: "timing" }>;

export interface ViewersView {
  viewers: ViewerEntry[];
  /** Who came with a link that was replaced. */
  waiting: { id: string; number: number }[];
  /** Most who watch over relays say that the picture comes late: what this computer sends may be more than its connection carries. */
  isLate: boolean;
  questions: readonly Question[];
}

export const NO_VIEWERS: ViewersView = { viewers: [], waiting: [], isLate: false, questions: [] };

export interface ViewersActions {
  /** Turns a viewer out, gives new keys to the others, and replaces the link. */
  remove(id: string): void;
  /** The answer to someone who waits. */
  answer(id: string, yes: boolean): void;
  /** In text, to the viewer who asked or, where it `isShared`, to all, without a word of who asked. */
  answerQuestion(key: number, text: string, isShared: boolean): void;
  dismissQuestion(key: number): void;
  /** Whether all viewers see it, without a word of who asked, and can upvote it. */
  shareQuestion(key: number, isShared: boolean): void;
}

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
      this.#known.forget(viewer);
      this.show();
    },
    answerQuestion: (key, text, isShared) => {
      const answered = this.#questions.answer(key, text, isShared);
      if (answered === null) return;
      if (isShared) this.tellAll({ type: "answers", answers: [answered.answer] });
      else this.#tell(answered.viewer, { type: "answer", answer: answered.answer });
      this.#questionsChanged();
    },
    dismissQuestion: (key) => {
      this.#questions.dismiss(key);
      this.#questionsChanged();
    },
    shareQuestion: (key, isShared) => {
      this.#questions.share(key, isShared);
      this.#questionsChanged();
    },
  };
  readonly #options: ViewersOptions;
  readonly #connections: Connections;
  readonly #media: MediaSession;
  readonly #post: PostToHostKeys;
  readonly #known: KnownViewers;
  readonly #ways: StreamWays;
  readonly #questions: Questions;
  /** Draws the list, where it is another one, now or soon. */
  readonly show: () => void;
  /** Shows the questions, now or soon: thousands may upvote them at once. */
  readonly #showQuestions: () => void;
  /** Tells viewers, now or soon, what they can upvote, where it is another list: each gets all of it. */
  readonly #tellQuestions: () => void;
  readonly #timings: TokenBucket;
  #drawn = "";
  /** What viewers heard last that they can upvote. */
  #toUpvote: string;

  constructor(options: ViewersOptions) {
    this.#options = options;
    this.#connections = options.connections;
    this.#media = options.media;
    this.#post = options.post;
    this.#questions = new Questions(options.media.life.clock);
    this.#toUpvote = JSON.stringify(this.#questions.toUpvote);
    this.#tellQuestions = atMostEvery(options.media.life.clock, TOLD_EVERY, () => this.#sayQuestions());
    this.#showQuestions = atMostEvery(options.media.life.clock, DRAWN_EVERY, () => this.#drawQuestions());
    this.show = atMostEvery(options.media.life.clock, DRAWN_EVERY, () => this.#draw());
    this.#known = new KnownViewers(options.media.life.clock);
    this.#timings = new TokenBucket(TIMINGS_OF_ALL, options.media.life.clock);
    const { media, connections, relay, name, limit } = options;
    this.#ways = new StreamWays({
      ...{ media, connections, relay, name, limit, known: this.#known },
      tell: (viewer, message) => this.#tell(viewer, message),
      tellState: (viewer) => this.#tellState(viewer),
    });
  }

  /** What the picture is encoded for. */
  get receivers(): Receivers {
    return this.#ways.receivers;
  }

  /** What the keys worker says of them. */
  moved(changes: readonly ViewerChange[]): void {
    // Whose way ends leaves their place to who comes with them.
    const ended = changes.filter((change) => this.#endsWay(change));
    for (const change of ended) this.#leaves(change);
    this.#ways.end(...ended.map(({ viewer }) => viewer));
    const isEnded = new Set(ended);
    for (const change of changes) if (!isEnded.has(change)) this.#stands(change);
    this.show();
  }

  message(from: string, body: Uint8Array): void {
    if (!this.#takesMessage(from)) return;
    const message = parseFromViewer(body);
    if (message === null) return;
    const known = this.#known.of(from);
    // What a viewer says proves it as well, and may come before the news of it.
    known.isProven = true;
    if (known.is === "answered") known.is = "watching";
    if (message.type === "question") return this.#asked(from, known, message.text);
    if (message.type === "upvote") return this.#upvoted(known, message);
    if (message.type === "name") return this.#named(known, message.name);
    if (message.type === "hello") return this.#greeted(from, message);
    if (message.type === "relayed") {
      this.#ways.seesRelayed(from, known, message);
      return this.show();
    }
    if (message.type === "listens") return this.#listens(from, message.listens);
    if (message.type === "records") {
      known.records = message.stage !== null;
      return this.show();
    }
    if (message.type === "timing") return this.#askedTiming(from, known, message);
    const watcher = this.#connections.all.get(from);
    if (watcher?.id === message.link) watcher.media.link.receive(message.signal);
  }

  tellAll(message: FromHost): void {
    for (const viewer of this.#ways.served) this.#tell(viewer, message);
  }

  /** The stream is to be had over relays, in another codec, or not any more. */
  relayChanged(): void {
    this.#ways.relayChanged();
    this.show();
  }

  /** Nothing more goes to that session of a viewer, nor is anything more taken from it. */
  breached(viewer: string, breach: Breach): void {
    const known = this.#known.of(viewer);
    known.breach = breach;
    this.#media.drop(breach);
    this.#ways.end(viewer);
    this.show();
  }

  /** How a connection stands changed. */
  linked(watcher: Watcher, viewer: string | null): void {
    if (watcher.media.state === "reconnecting" && viewer !== null) {
      const { is } = this.#known.all.get(viewer) ?? {};
      if (is === "left") this.#forget(viewer);
      if (is === "departed") this.#leavesQuestions(viewer);
      if (is === "left" || is === "departed") this.#ways.end(viewer);
    }
    this.show();
  }

  clear(): void {
    this.#ways.clear();
    this.#known.clear();
    this.#options.relay.want(false);
  }

  #draw(): void {
    const entries = [...this.#known.all].map(([id, known]) => ({ id, number: known.number, known }));
    // From the host's answer on: who may soon hold the keys can be seen, and removed.
    const viewers = entries.flatMap(({ id, known }): ViewerEntry[] =>
      this.#isListed(id, known) ? [this.#entry(id, known)] : [],
    );
    const waiting = entries.flatMap(({ id, number, known }) => (known.is === "waiting" ? [{ id, number }] : []));
    const over = viewers.filter(({ is }) => is === "relayed");
    const late = over.filter(({ id }) => this.#known.of(id).isLate);
    const view = { viewers, waiting, isLate: late.length > over.length / 2 };
    const drawn = JSON.stringify(view);
    if (drawn === this.#drawn || this.#media.life.isOver) return;
    this.#drawn = drawn;
    this.#options.show(view);
  }

  /** The same one for as long as nothing of it changes: the page draws only others again. */
  #entry(id: string, known: KnownViewer): ViewerEntry {
    const { number, name, records, entry } = known;
    const is = this.#standing(id, known);
    if (entry?.name === name && entry.is === is && entry.records === records) return entry;
    known.entry = { id, number, name, is, records };
    return known.entry;
  }

  /** Nothing goes to them any more. The server's word ends no connection that works: see `linked`. */
  #endsWay({ viewer, is }: ViewerChange): boolean {
    const isConnected = this.#connections.all.get(viewer)?.media.state === "connected";
    return is === "gone" || ((is === "left" || is === "departed") && !isConnected);
  }

  #leaves({ viewer, is }: ViewerChange): void {
    if (is !== "departed") return this.#forget(viewer);
    this.#known.of(viewer).is = is;
    this.#leavesQuestions(viewer);
  }

  #stands({ viewer, is }: ViewerChange): void {
    const known = this.#known.of(viewer);
    known.is = is;
    known.isProven ||= is === "watching";
    // The way to the picture is begun while the viewer still reads the answer.
    const hasKeys = (is === "answered" || is === "watching") && known.breach === null;
    if (hasKeys && !this.#ways.has(viewer)) this.#ways.send(viewer);
  }

  /** Who departed has the key, and is listed as long as there is something that they may see by it. */
  #isListed(viewer: string, { is }: KnownViewer): boolean {
    if (is === "departed") return this.#ways.isRelayed || this.#connections.all.has(viewer);
    return is !== "waiting";
  }

  #leavesQuestions(viewer: string): void {
    this.#questions.leave(this.#known.all.get(viewer)?.number ?? 0);
    this.#showQuestions();
  }

  #forget(viewer: string): void {
    this.#leavesQuestions(viewer);
    this.#known.forget(viewer);
  }

  /** Whether a viewer's next message counts. Who sends too many loses their connection. */
  #takesMessage(viewer: string): boolean {
    const known = this.#known.of(viewer);
    if (known.breach === null && known.messages.take() < 0) this.breached(viewer, "flood");
    return known.breach === null;
  }

  #named(known: KnownViewer, name: string): void {
    if (!known.names.tryTake()) return this.#media.drop("names");
    known.name = shownName(name);
    this.show();
  }

  #asked(viewer: string, { number, name }: KnownViewer, text: string): void {
    if (this.#questions.ask({ viewer, number, name, text })) this.#questionsChanged();
    else this.#media.drop("questions");
  }

  #upvoted(known: KnownViewer, { question, up }: Extract<FromViewer, { type: "upvote" }>): void {
    if (this.#questions.hasUpvoted(known.number, question) === up) return;
    if (!known.upvotes.tryTake()) return this.#media.drop("upvotes");
    if (this.#questions.upvote(known.number, question, up)) this.#showQuestions();
  }

  #questionsChanged(): void {
    this.#tellQuestions();
    this.#showQuestions();
  }

  #drawQuestions(): void {
    if (!this.#media.life.isOver) this.#options.show({ questions: this.#questions.asked });
  }

  #sayQuestions(): void {
    const { toUpvote } = this.#questions;
    const said = JSON.stringify(toUpvote);
    if (said === this.#toUpvote || this.#media.life.isOver) return;
    this.#toUpvote = said;
    this.tellAll(toUpvote);
  }

  /** Thousands may have a dashboard: a few are answered. */
  #askedTiming(viewer: string, known: KnownViewer, { message, frames }: TimingQuestion): void {
    const came = computerTime();
    const { relay, media } = this.#options;
    if (!known.isRelayed || !known.timings.tryTake() || !this.#timings.tryTake()) return;
    known.timed ??= relay.timedFor({
      asked: known.askedFrames,
      tellTiming: (answer) => {
        if (answer.type !== "ask") this.#tell(viewer, { type: "timing", message: answer });
      },
    });
    known.askedFrames.clear();
    for (const frame of frames) known.askedFrames.add(frame);
    media.parts?.timing.take(known.timed, message, came);
  }

  #listens(viewer: string, listens: boolean): void {
    this.#known.of(viewer).listens = listens;
    void this.#connections.all.get(viewer)?.media.refresh();
  }

  #greeted(viewer: string, hello: Extract<FromViewer, { type: "hello" }>): void {
    const { decodes, plays, fresh, listens, unreached } = hello;
    const known = this.#known.of(viewer);
    const isFirst = known.decodes === null;
    if (isFirst) Object.assign(known, { decodes, plays });
    this.#listens(viewer, listens);
    const { media } = this.#connections.all.get(viewer) ?? {};
    if (isFirst && media) {
      this.#media.encoding.choose();
      // What they decode may be what another one waits for.
      return this.#ways.letIn();
    }
    if (!fresh && media?.state === "connected") return this.#tellState(viewer);
    if (known.connections.take() < 0) return this.breached(viewer, "flood");
    known.isUnreached = unreached === "connection";
    // Their page says so where it goes on.
    known.seesRelayed = false;
    if (unreached === "connection" && media) {
      if (this.#ways.leaveConnection(viewer)) this.show();
      return;
    }
    this.#connections.hangUp(viewer);
    if (!this.#ways.send(viewer, unreached)) this.#tell(viewer, { type: "full" });
    this.show();
  }

  #tell(to: string, message: FromHost): void {
    this.#post({ type: "send", to, body: toJson(message) });
  }

  #tellState(viewer: string): void {
    if (!this.#known.of(viewer).states.tryTake()) return;
    for (const message of [...this.#options.state(), ...this.#questions.state]) this.#tell(viewer, message);
  }

  #standing(viewer: string, { is, decodes, isRelayed, seesRelayed, breach }: KnownViewer): ViewerEntry["is"] {
    if (breach !== null) return breach;
    const watcher = this.#connections.all.get(viewer);
    if (watcher?.media.state === "connected") return watcher.media.codec === null ? "unable" : "watching";
    if (is === "away" || is === "departed") return is;
    if (isRelayed && this.#ways.hasRelays && (seesRelayed || watcher === undefined))
      return seesRelayed ? "relayed" : "connecting";
    return watcher === undefined && decodes !== null ? "full" : "connecting";
  }
}
