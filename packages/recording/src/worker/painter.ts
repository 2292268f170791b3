import type { AddedPicture, ShownVoice } from "../shared/messages.ts";
import { centred, charactersOf, type GridCell, gridOf, initialsOf } from "./grid.ts";
import { RecordedVideo } from "./picture.ts";

const BACKGROUND = "#101418";
const TILE = "#20272e";
const DISC = "#3d4853";
const LABEL = "rgb(0 0 0 / 65%)";
const TEXT = "#ffffff";
const FONT = "system-ui, sans-serif";
/** Longer names are cut before they are measured. */
const MOST_CHARACTERS = 60;

interface Tile {
  readonly place: GridCell;
  readonly picture: number | null;
  readonly label: string;
  readonly initials: string;
}

/** Draws who is shown in a grid: pictures with a name on each, initials for who has no picture. */
export class Painter {
  readonly canvas: OffscreenCanvas;
  readonly #context: OffscreenCanvasRenderingContext2D;
  readonly #pictures = new Map<number, RecordedVideo>();
  /** Of what is not shown any more and has frames on their way. */
  readonly #closing = new Set<Promise<void>>();
  #tiles: readonly Tile[] = [];

  constructor(canvas: OffscreenCanvas) {
    const context = canvas.getContext("2d", { alpha: false });
    if (context === null) throw new Error("This browser gives workers no canvas.");
    this.canvas = canvas;
    this.#context = context;
  }

  /** From the next drawing on, of nobody else anything is seen. */
  show(voices: readonly ShownVoice[], added: readonly AddedPicture[]): void {
    for (const { picture, frames } of added) this.#pictures.set(picture, new RecordedVideo(frames, this.canvas));
    const kept = new Set(voices.map(({ picture }) => picture));
    for (const [number, picture] of this.#pictures) {
      if (!kept.has(number)) this.#close(number, picture);
    }
    const places = gridOf(voices.length, this.canvas);
    this.#tiles = voices.flatMap(({ name, picture }, number) => {
      const place = places[number];
      return place === undefined
        ? []
        : [{ place, picture, label: this.#label(name, place), initials: initialsOf(name) }];
    });
  }

  /** Resolves once no frame is on its way any more. */
  async close(): Promise<void> {
    for (const [number, picture] of this.#pictures) this.#close(number, picture);
    await Promise.all(this.#closing);
  }

  draw(): void {
    this.#context.fillStyle = BACKGROUND;
    this.#context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    for (const tile of this.#tiles) this.#drawTile(tile);
  }

  #close(number: number, picture: RecordedVideo): void {
    this.#pictures.delete(number);
    const closed = picture.close().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  #drawTile({ place, picture, label, initials }: Tile): void {
    const context = this.#context;
    context.save();
    context.beginPath();
    context.rect(place.x, place.y, place.width, place.height);
    // No name reaches into another tile.
    context.clip();
    context.fillStyle = TILE;
    context.fill();
    const latest = picture === null ? null : (this.#pictures.get(picture)?.latest ?? null);
    if (latest === null) this.#drawInitials(place, initials);
    else {
      const { x, y, width, height } = centred(latest, place);
      context.drawImage(latest, x, y, width, height);
    }
    this.#drawLabel(place, label);
    context.restore();
  }

  #drawInitials({ x, y, width, height }: GridCell, initials: string): void {
    const context = this.#context;
    context.fillStyle = DISC;
    context.beginPath();
    context.arc(x + width / 2, y + height / 2, height / 4, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = TEXT;
    context.font = `500 ${Math.round(height / 6)}px ${FONT}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(initials, x + width / 2, y + height / 2);
  }

  #drawLabel(place: GridCell, label: string): void {
    const context = this.#context;
    const { size, padding } = this.#setLabelFont(place);
    const height = size + padding;
    const y = place.y + place.height - padding - height;
    context.fillStyle = LABEL;
    context.beginPath();
    context.roundRect(place.x + padding, y, context.measureText(label).width + 2 * padding, height, padding / 2);
    context.fill();
    context.fillStyle = TEXT;
    context.fillText(label, place.x + 2 * padding, y + height / 2);
  }

  #setLabelFont({ height }: GridCell): { size: number; padding: number } {
    const size = Math.round(Math.min(26, Math.max(12, height / 14)));
    this.#context.font = `500 ${size}px ${FONT}`;
    this.#context.textAlign = "left";
    this.#context.textBaseline = "middle";
    return { size, padding: Math.round(size / 2) };
  }

  /** As much of the name as fits. */
  #label(name: string, place: GridCell): string {
    const { padding } = this.#setLabelFont(place);
    const fits = (text: string) => this.#context.measureText(text).width <= place.width - 4 * padding;
    const characters = charactersOf(name.trim()).slice(0, MOST_CHARACTERS);
    const whole = characters.join("");
    if (whole === name.trim() && fits(whole)) return whole;
    while (characters.length > 0 && !fits(`${characters.join("")}…`)) characters.pop();
    return `${characters.join("")}…`;
  }
}
