import { leafName, ownLine, SealedStore } from "@sealcast/keys";
import * as v from "valibot";
import { parseJson, toJson } from "../json.ts";
import { type FromHost, MAX_LINE } from "./messages.ts";

/** What a stream and its host are called; "" is nothing. */
export interface StreamAbout {
  title: string;
  host: string;
}

export const NOTHING_SAID: StreamAbout = { title: "", host: "" };

export interface AboutView {
  about: StreamAbout;
  /** The stream was on when this page was last left. */
  wasLive: boolean;
}

export interface AboutActions {
  /** What viewers are shown of the stream from now on. */
  describe(about: StreamAbout): void;
}

interface AboutOptions {
  room: string;
  show(change: Partial<AboutView>): void;
  /** For viewers. */
  changed(): void;
}

const KEPT_FOR_MS = 24 * 60 * 60 * 1000;
/** Longest title that is shown, in what people count as letters. */
export const MAX_TITLE = 80;

const Line = v.pipe(v.string(), v.maxLength(MAX_LINE));
const Kept = v.strictObject({ title: Line, host: Line, isLive: v.boolean() });
const MAX_KEPT_BYTES = 8_192;

/** A title as viewers are shown it. */
export const titleOf = (typed: string): string => ownLine(typed, MAX_TITLE, MAX_LINE);

/** What the host says of the stream. From its begin on this browser keeps it for a load of the page, sealed like its link. */
export class About {
  readonly actions: AboutActions = {
    describe: ({ title, host }) => {
      this.#isDescribed = true;
      this.#about = { title: titleOf(title), host: leafName(host) ?? "" };
      this.#options.show({ about: this.#about });
      if (!this.#isLive) return;
      this.#keep();
      this.#options.changed();
    },
  };
  readonly #options: AboutOptions;
  readonly #store = new SealedStore("sealcast-live-about");
  #about = NOTHING_SAID;
  #isDescribed = false;
  #isLive = false;

  constructor(options: AboutOptions) {
    this.#options = options;
  }

  get message(): FromHost {
    return { type: "about", ...this.#about };
  }

  /** What was kept of the last load, unless the person has said something else by then. */
  async recall(): Promise<void> {
    const bytes = await this.#store.recall(this.#options.room).catch(() => null);
    const kept = bytes === null ? null : parseJson(Kept, bytes, MAX_KEPT_BYTES);
    if (kept === null) return;
    const { isLive, ...about } = kept;
    if (!this.#isDescribed) this.actions.describe(about);
    this.#options.show({ wasLive: isLive && !this.#isLive });
  }

  /** The stream begins or ends. */
  live(on: boolean): void {
    this.#isLive = on;
    this.#options.show({ wasLive: false });
    this.#keep();
  }

  #keep(): void {
    const kept = toJson({ ...this.#about, isLive: this.#isLive } satisfies v.InferOutput<typeof Kept>);
    // Where storage is full or blocked, the next load begins with nothing.
    this.#store.keep(this.#options.room, new Uint8Array(kept), Date.now() + KEPT_FOR_MS).catch(() => undefined);
  }
}
