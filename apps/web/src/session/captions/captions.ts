import type { CaptionMaker, FromCaptions } from "@sealcast/captions";
import type { Clock } from "@sealcast/time";
import { PAGE_BUDGETS } from "../budgets.ts";
import { MemberBudgets, type MessageSender } from "../member-budgets.ts";
import { type CaptionMessage, MAX_CAPTION, shownCaption } from "./caption.ts";
import { type CaptionLine, Transcript } from "./transcript.ts";

export interface CaptionsView {
  captions: {
    /** Whether this browser can make captions. Those that others send it shows all the same. */
    isAble: boolean;
    shows: boolean;
    /** This device makes captions of this person's speech, for all. */
    speaks: boolean;
    /** `behind`: left out for a while, since the computer is too slow. */
    engine: "off" | "loading" | "on" | "behind" | "failed";
    /** While it loads, whole percents. */
    loaded: number;
    /** Percents of one core that making captions took of late; null before that was measured. */
    cost: number | null;
    /** The latest ones; none while captions are not shown. */
    lines: CaptionLine[];
  };
}

export interface CaptionsActions {
  /** Where a speaker sends no captions, this device makes them of what it hears. */
  showCaptions(on: boolean): void;
  captionSpeech(on: boolean): void;
  /** After the engine has failed. */
  retryCaptions(): void;
  /** Everything since captions were shown for the first time. */
  transcript(): readonly CaptionLine[];
}

export interface CaptionedMember {
  /** The member's. */
  id: string;
  name: string;
  /** Null: nothing comes of them now. */
  sound: MediaStreamTrack | null;
}

type Maker = Pick<CaptionMaker, "hear" | "close">;

interface CaptionsOptions {
  clock: Clock;
  /** Whether this browser can make captions. */
  isAble: boolean;
  /** Everybody else who is here. */
  others(): Iterable<CaptionedMember>;
  /** This person. */
  own(): Omit<CaptionedMember, "id">;
  /** Loads what makes captions; rejects where that does not come. */
  make(told: (event: FromCaptions) => void): Promise<Maker>;
  /** To a member by id, or to "all". */
  tell(to: string, message: CaptionMessage): void;
  /** Unix time. */
  date(): number;
  show(change: CaptionsView): void;
}

/** This person, among the sources of sound: no member's id. */
const ME = "me";

export const NO_CAPTIONS: CaptionsView["captions"] = {
  isAble: "MediaStreamTrackProcessor" in globalThis,
  shows: false,
  speaks: false,
  engine: "off",
  loaded: 0,
  cost: null,
  lines: [],
};

/**
 * Captions, of this person's speech for all and of others' for this person. Who speaks may have their own device make
 * them; of the others, the reader's device makes them of what it hears.
 */
export class Captions {
  readonly actions: CaptionsActions = {
    showCaptions: (on) => this.#set({ shows: on }),
    captionSpeech: (on) => this.#set({ speaks: on && this.#options.isAble }),
    retryCaptions: () => this.#retry(),
    transcript: () => this.#transcript.lines,
  };
  readonly #options: CaptionsOptions;
  readonly #transcript = new Transcript();
  #view: CaptionsView["captions"];
  #maker: Promise<Maker> | null = null;
  /** Whose device makes their captions, by id. */
  readonly #sending = new Set<string>();
  readonly #budgets: MemberBudgets;
  /** What all were told last. */
  #announced = false;

  constructor(options: CaptionsOptions) {
    this.#options = options;
    this.#budgets = new MemberBudgets(PAGE_BUDGETS.captions, options.clock);
    this.#view = this.#nothing;
  }

  /** Before anything was asked for. */
  get #nothing(): CaptionsView["captions"] {
    return { ...NO_CAPTIONS, isAble: this.#options.isAble };
  }

  /** There is a connection to this member now, who has heard nothing yet. */
  met(id: string): void {
    if (this.#announced) this.#options.tell(id, { type: "captioning", on: true });
  }

  /** There is none any more. */
  forget(id: string): void {
    this.#sending.delete(id);
  }

  /** From a member, who may say anything, however often. */
  heard(from: MessageSender, message: CaptionMessage): void {
    if (!this.#budgets.tryTake(from)) return;
    const { id } = from;
    if (message.type === "captioning" && !message.on) this.#sending.delete(id);
    else this.#sending.add(id);
    if (message.type === "caption") this.#said(id, message.text);
    this.follow();
  }

  /** Who is here changed, or what they send, or this person's microphone. What makes captions is loaded once someone is to be heard. */
  follow(): void {
    const isNeeded = this.#view.speaks || this.#wanted.size > 0;
    if (this.#options.isAble && isNeeded && this.#maker === null) this.#begin();
    // What did not load hears nobody: it has said that it failed.
    this.#maker?.then((maker) => maker.hear(this.#wanted)).catch(() => undefined);
  }

  /** This person leaves: nothing is kept. */
  close(): void {
    this.#transcript.clear();
    this.#end();
    this.#show(this.#nothing);
  }

  /** By whom they are. Who sends captions is not heard for them. */
  get #wanted(): Map<string, MediaStreamTrack> {
    const { shows, speaks } = this.#view;
    const others = shows ? [...this.#options.others()].filter(({ id }) => !this.#sending.has(id)) : [];
    const own = speaks ? [{ id: ME, sound: this.#options.own().sound }] : [];
    return new Map([...others, ...own].flatMap(({ id, sound }) => (sound === null ? [] : [[id, sound] as const])));
  }

  #set(change: Partial<Pick<CaptionsView["captions"], "shows" | "speaks">>): void {
    this.#show(change);
    const { shows, speaks } = this.#view;
    if (!shows && !speaks) this.#end();
    this.#announce();
    this.follow();
  }

  #retry(): void {
    this.#end();
    this.#set({});
  }

  #begin(): void {
    this.#show({ engine: "loading", loaded: 0, cost: null });
    const maker: Promise<Maker> = this.#options.make((event) => {
      if (this.#maker === maker) this.#told(event);
    });
    this.#maker = maker;
    maker.catch(() => this.#maker === maker && this.#told({ type: "failed" }));
  }

  #end(): void {
    const maker = this.#maker;
    this.#maker = null;
    // What did not load has nothing to close.
    void maker?.then((each) => each.close()).catch(() => undefined);
    this.#show({ engine: "off", cost: null });
    this.#announce();
  }

  #told(event: FromCaptions): void {
    switch (event.type) {
      case "loading":
        return this.#loaded(Math.floor(100 * event.share));
      case "ready":
        return this.#turned("on");
      case "behind":
        return this.#turned(event.isBehind ? "behind" : "on");
      case "failed":
        return this.#turned("failed");
      case "cost":
        return this.#show({ cost: Math.round(100 * event.share) });
      case "caption":
        return this.#made(event.source, event.text);
    }
  }

  #loaded(percent: number): void {
    if (percent !== this.#view.loaded) this.#show({ loaded: percent });
  }

  #turned(engine: CaptionsView["captions"]["engine"]): void {
    this.#show({ engine });
    this.#announce();
  }

  /** Others' devices make captions of this person whenever this one does not. */
  #announce(): void {
    const on = this.#view.speaks && this.#view.engine === "on";
    if (on === this.#announced) return;
    this.#announced = on;
    this.#options.tell("all", { type: "captioning", on });
  }

  /** By this device. */
  #made(source: string, words: string): void {
    if (source !== ME) {
      if (!this.#sending.has(source)) this.#said(source, words);
      return;
    }
    if (!this.#view.speaks) return;
    this.#options.tell("all", { type: "caption", text: words.slice(0, MAX_CAPTION) });
    this.#write(null, this.#options.own().name, words);
  }

  #said(id: string, text: string): void {
    const speaker = [...this.#options.others()].find((one) => one.id === id);
    if (speaker !== undefined) this.#write(id, speaker.name, text);
  }

  #write(speaker: string | null, name: string, raw: string): void {
    const text = shownCaption(raw);
    if (!this.#view.shows || text === "") return;
    this.#transcript.add({ speaker, name, text, at: this.#options.date() });
    this.#show({});
  }

  #show(change: Partial<CaptionsView["captions"]>): void {
    this.#view = { ...this.#view, ...change };
    const lines = this.#view.shows ? this.#transcript.latest : [];
    this.#view = { ...this.#view, lines };
    this.#options.show({ captions: this.#view });
  }
}
