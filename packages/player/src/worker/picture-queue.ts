import type { Drops } from "./drops.ts";
import type { PictureTimes } from "./picture-times.ts";
import type { PictureScreen } from "./screen.ts";
import { captured } from "./video-buffer.ts";

/** Half a frame of 60 a second: what is due sooner than it could be asked again. */
const DUE_MS = 8;
/** Larger than any size that is sent: a decoder gives what the bytes say. */
const MOST_PIXELS = 4_096 * 2_304;

/** Decoded pictures until it is their turn, and those never shown that came after a newer one. */
export class PictureQueue {
  readonly #screen: PictureScreen;
  readonly #drops: Drops;
  readonly #times: PictureTimes;
  readonly #pictures: VideoFrame[] = [];
  /** Of those, the first ones: they are of the video before the present one. */
  #earlier = 0;
  #shownUs = Number.NEGATIVE_INFINITY;
  #hasShown = false;
  #shown = 0;

  constructor(screen: PictureScreen, drops: Drops, times: PictureTimes) {
    this.#screen = screen;
    this.#drops = drops;
    this.#times = times;
  }

  get length(): number {
    return this.#pictures.length;
  }

  /** Of the present video. */
  get waiting(): number {
    return this.#pictures.length - this.#earlier;
  }

  /** Any at all. */
  get hasShown(): boolean {
    return this.#hasShown;
  }

  /** Of the present video. */
  get shown(): number {
    return this.#shown;
  }

  /** Pictures are of another video from now on. */
  begin(): void {
    this.#earlier = this.#pictures.length;
    this.#shown = 0;
  }

  /** Takes the picture. Decoders give them in order. */
  push(picture: VideoFrame): void {
    this.#times.decoded(picture.timestamp);
    const isShowable = picture.codedWidth * picture.codedHeight <= MOST_PIXELS;
    if (isShowable && picture.timestamp > this.#shownUs) return void this.#pictures.push(picture);
    this.#drops.count(isShowable ? "late" : "malformed");
    picture.close();
  }

  /** Shows the newest that is due, and the first one ever at once. @returns until the next is due; null: there is none. */
  show(playedMs: number): number | null {
    const due = this.#pictures.findLastIndex(
      (picture) => captured({ timestampUs: picture.timestamp }) <= playedMs + DUE_MS,
    );
    const count = this.#hasShown ? due + 1 : Math.max(1, due + 1);
    const isEarlier = count <= this.#earlier;
    this.#earlier = Math.max(0, this.#earlier - count);
    const [picture, ...late] = this.#pictures.splice(0, count).reverse();
    for (const each of late) each.close();
    this.#drops.count("late", late.length);
    if (picture !== undefined) this.#put(picture, isEarlier);
    const [next] = this.#pictures;
    return next === undefined ? null : captured({ timestampUs: next.timestamp }) - playedMs;
  }

  clear(reason: "hidden" | "late"): void {
    this.#drops.count(reason, this.#pictures.length);
    for (const picture of this.#pictures.splice(0)) picture.close();
    this.#earlier = 0;
  }

  /** Pictures of another timeline may be of any time. */
  forgetShown(): void {
    this.#shownUs = Number.NEGATIVE_INFINITY;
  }

  #put(picture: VideoFrame, isEarlier: boolean): void {
    const { timestamp } = picture;
    this.#shownUs = timestamp;
    this.#times.due(timestamp);
    if (!this.#screen.show(picture, () => this.#times.shown(timestamp))) return this.#drops.count("screen-busy");
    this.#hasShown = true;
    if (!isEarlier) this.#shown++;
  }
}
