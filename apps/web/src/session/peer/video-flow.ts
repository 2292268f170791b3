import { atMostEvery, type Clock } from "@sealcast/time";
import * as v from "valibot";
import { VIDEO_WORD_GAP } from "../budgets.ts";
import { parseJson, toJson } from "../json.ts";

/** Bytes of a word. */
const MAX_WORD = 128;

/** Sound goes on, and video would take what it needs: of the link, or of the sender's computer. */
const Shortage = v.picklist(["connection", "computer"]);
export type Shortage = v.InferOutput<typeof Shortage>;

/** What one end says of video: whether it wants the other's, and why its own is paused. See PROTOCOL.md section 5.9. */
const Word = v.strictObject({ wants: v.boolean(), paused: v.nullable(Shortage) });
type Word = v.InferOutput<typeof Word>;

interface VideoFlowOptions {
  /** Whether it could be said. */
  say(body: Uint8Array): boolean;
  /** What goes there, or how the other end's stands, is another than before. */
  changed(): void;
}

/** Whether video goes over one link, each way, as far as shortages and the two people's wishes make it. */
export class VideoFlow {
  readonly #options: VideoFlowOptions;
  readonly #follow: () => void;
  #heard: Word = { wants: true, paused: null };
  #there = this.#heard;
  #wants = true;
  #paused: Shortage | null = null;
  /** The link's, where one encoder works for several: that pauses by itself. */
  #isHeldBack = false;
  #said = "";

  constructor(options: VideoFlowOptions, clock: Clock) {
    this.#options = options;
    this.#follow = atMostEvery(clock, VIDEO_WORD_GAP, () => {
      this.#there = this.#heard;
      options.changed();
    });
  }

  /** No video goes there. */
  get isShut(): boolean {
    return this.#paused !== null || !this.#there.wants;
  }

  /** Why this end's video there is paused; null where it is not, or they want none. */
  get paused(): Shortage | null {
    return this.#there.wants ? (this.#paused ?? (this.#isHeldBack ? "connection" : null)) : null;
  }

  /** The other end's word on why its video is paused. */
  get pausedThere(): Shortage | null {
    return this.#there.paused;
  }

  /** Whether this end wants the other's video. */
  get wants(): boolean {
    return this.#wants;
  }

  set wants(on: boolean) {
    this.#wants = on;
    this.#tell();
  }

  /** How this end's video there stands. `isHeldBack`: an encoder for several leaves that link out. */
  pause(paused: Shortage | null, isHeldBack: boolean): void {
    if (paused === this.#paused && isHeldBack === this.#isHeldBack) return;
    this.#paused = paused;
    this.#isHeldBack = isHeldBack;
    this.#tell();
    this.#options.changed();
  }

  /** Something can be said from now on, and nothing was. */
  opened(): void {
    this.#said = "";
    this.#tell();
  }

  heard(body: Uint8Array): void {
    const word = parseJson(Word, body, MAX_WORD);
    if (word === null) return;
    this.#heard = word;
    this.#follow();
  }

  #tell(): void {
    const word: Word = { wants: this.#wants, paused: this.#paused ?? (this.#isHeldBack ? "connection" : null) };
    const said = JSON.stringify(word);
    // Where nothing can be said yet, `opened` says it.
    if (said !== this.#said && this.#options.say(toJson(word))) this.#said = said;
  }
}
