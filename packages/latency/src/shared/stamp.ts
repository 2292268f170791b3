import { crc16 } from "./crc16.ts";

/**
 * [Note: Stamp] A time drawn along a picture's upper edge, as two rows of square cells, black or white:
 *
 *     column   0 1 2 3   4 ......... 27   28 29 30 31
 *     row 0    B W B W   bits 0 to 23      B  W  B  W
 *     row 1    W B W B   bits 24 to 47     W  B  W  B
 *
 * Bits 0 to 31 are the time in tenths of a millisecond modulo 2^32, the highest first, bits 32 to 47 its CRC-16/DNP; 1 is
 * white. A cell is 1/32 of the picture's width, so it scales with the picture. The guards
 * at both ends say what black and white are now, and whether there is a stamp here at all.
 */
const COLUMNS = 32;
const GUARDS = 4;
const ROWS = 2;
const TIME_BITS = 32;
const CRC_BITS = 16;
const BITS_IN_ROW = COLUMNS - 2 * GUARDS;
const TICKS_PER_MS = 10;
/** Milliseconds after which stamps begin again: almost five days. */
const PERIOD = 2 ** TIME_BITS / TICKS_PER_MS;

/** Luma as video has it. */
const BLACK = 16;
const WHITE = 235;

/** Less luma than this between white and black is no stamp. */
const LEAST_CONTRAST = 24;
/** A cell this near to the middle, of the way from there to black or white, is neither. */
const GREY = 1 / 3;
/** How much may be cut off at an edge, in cells, to be tried: a quarter more or less makes no difference. 2.2 % of the width. */
const CROPS = [0, 0.35, 0.7];

/**
 * The brightness of a picture's upper lines, rows packed: that of a pixel is `data[(y * width + x) * step + first]`. As
 * stamps are grey, any colour's channel will do.
 */
export interface Plane {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  readonly step: number;
  readonly first: number;
}

/** A stamp that was read. */
export interface Stamp {
  /** Milliseconds modulo almost five days: see `since`. */
  readonly time: number;
}

/** What `drawStamp` needs of a canvas, on a page or off it. */
type Context = Pick<
  OffscreenCanvasRenderingContext2D,
  "save" | "resetTransform" | "fillStyle" | "fillRect" | "restore"
> & { readonly canvas: { readonly width: number } };

/** A part of a stamped picture, in pixels. */
interface Cell {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly white: boolean;
}

const GUARD_CELLS = Array.from({ length: ROWS * COLUMNS }, (_, at) => ({
  column: at % COLUMNS,
  row: Math.floor(at / COLUMNS),
}))
  .filter(({ column }) => isGuard(column))
  .map(({ column, row }) => ({ column, row, white: guard(column, row) }));

/** How many of the upper lines of a picture of this width `readStamp` looks at. */
export function linesOf(width: number): number {
  return Math.ceil((ROWS * width) / COLUMNS);
}

/** The brightness of a canvas' pixels. Shares the image's bytes. */
export function planeOf({
  data,
  width,
  height,
}: Pick<ImageData, "width" | "height"> & { readonly data: Uint8ClampedArray }): Plane {
  return { data, width, height, step: 4, first: 1 };
}

/** Draws a time in milliseconds over the upper edge of a canvas, whatever transformation is set. */
export function drawStamp(context: Context, time: number): void {
  context.save();
  context.resetTransform();
  for (const { x, y, width, height, white } of cells(context.canvas.width, time)) {
    context.fillStyle = white ? "white" : "black";
    context.fillRect(x, y, width, height);
  }
  context.restore();
}

/** The same in a picture's own bytes: in its luma, or in all channels where a step is a pixel. */
export function paintStamp({ data, width, step }: Plane, time: number): void {
  for (const cell of cells(width, time)) {
    const value = cell.white ? WHITE : BLACK;
    for (let y = cell.y; y < cell.y + cell.height; y++) {
      const start = (y * width + cell.x) * step;
      data.fill(value, start, start + cell.width * step);
    }
  }
}

/** The stamp in a picture; null when there is none or not every part of it is certain. */
export function readStamp(picture: Plane): Stamp | null {
  for (const top of CROPS)
    for (const left of CROPS)
      for (const right of CROPS) {
        const stamp = readAt(new Grid(picture, left, right, top));
        if (stamp !== null) return stamp;
      }
  return null;
}

/** Milliseconds from a stamp's time to a later one; negative where two clocks disagree. */
export function since({ time }: Stamp, later: number): number {
  const passed = (((later - time) % PERIOD) + PERIOD) % PERIOD;
  return passed < PERIOD / 2 ? passed : passed - PERIOD;
}

function* cells(width: number, time: number): Generator<Cell> {
  const bits = bitsOf(Math.round(time * TICKS_PER_MS) % 2 ** TIME_BITS);
  const edge = (cell: number) => Math.round((cell * width) / COLUMNS);
  for (let row = 0; row < ROWS; row++)
    for (let column = 0; column < COLUMNS; column++) {
      const [x, y] = [edge(column), edge(row)];
      const white = isGuard(column) ? guard(column, row) : bits[bitAt(column, row)] === true;
      yield { x, y, width: edge(column + 1) - x, height: edge(row + 1) - y, white };
    }
}

function isGuard(column: number): boolean {
  return column < GUARDS || column >= COLUMNS - GUARDS;
}

function guard(column: number, row: number): boolean {
  return (column + row) % 2 === 1;
}

function bitAt(column: number, row: number): number {
  return row * BITS_IN_ROW + column - GUARDS;
}

function bitsOf(ticks: number): boolean[] {
  return [...binary(ticks, TIME_BITS), ...binary(crcOf(ticks), CRC_BITS)].map((digit) => digit === "1");
}

function binary(number: number, bits: number): string {
  return number.toString(2).padStart(bits, "0");
}

function crcOf(ticks: number): number {
  const bytes = new Uint8Array(TIME_BITS / 8);
  new DataView(bytes.buffer).setUint32(0, ticks);
  return crc16(bytes);
}

function readAt(grid: Grid): Stamp | null {
  const levels = levelsOf(grid);
  if (levels === null) return null;
  const bits: string[] = [];
  for (let row = 0; row < ROWS; row++)
    for (let column = GUARDS; column < COLUMNS - GUARDS; column++) {
      const white = levels(grid.at(column, row));
      if (white === null) return null;
      bits.push(white ? "1" : "0");
    }
  const ticks = Number.parseInt(bits.slice(0, TIME_BITS).join(""), 2);
  const crc = Number.parseInt(bits.slice(TIME_BITS).join(""), 2);
  return crc === crcOf(ticks) ? { time: ticks / TICKS_PER_MS } : null;
}

/** Says of a luma whether it is white here; null of one that is neither white nor black. Null where the guards are not. */
function levelsOf(grid: Grid): ((luma: number) => boolean | null) | null {
  const guards = GUARD_CELLS.map(({ column, row, white }) => ({ luma: grid.at(column, row), white }));
  const mean = (of: boolean) =>
    guards.reduce((sum, { luma, white }) => sum + (white === of ? luma : 0), 0) / (guards.length / 2);
  const [black, white] = [mean(false), mean(true)];
  const [middle, reach] = [(black + white) / 2, (white - black) / 2];
  if (2 * reach < LEAST_CONTRAST) return null;
  const isWhite = (luma: number) => (Math.abs(luma - middle) < GREY * reach ? null : luma > middle);
  return guards.every(({ luma, white }) => isWhite(luma) === white) ? isWhite : null;
}

/** The cells of a picture that lacks so much at its edges, in cells. */
class Grid {
  readonly #picture: Plane;
  readonly #side: number;
  readonly #left: number;
  readonly #top: number;

  constructor(picture: Plane, left: number, right: number, top: number) {
    this.#picture = picture;
    this.#side = picture.width / (COLUMNS - left - right);
    this.#left = left;
    this.#top = top;
  }

  /** The mean luma of the middle of a cell, which its neighbours do not bleed into; black outside the picture. */
  at(column: number, row: number): number {
    const { data, width, height, step, first } = this.#picture;
    const [x, xEnd] = this.#middle(column - this.#left, width);
    const [y, yEnd] = this.#middle(row - this.#top, height);
    let sum = 0;
    let pixels = 0;
    for (let line = y; line < yEnd; line++)
      for (let pixel = x; pixel < xEnd; pixel++) {
        sum += data[(line * width + pixel) * step + first] ?? 0;
        pixels++;
      }
    return pixels > 0 ? sum / pixels : 0;
  }

  /** The pixels, one at least but for the last `end`, in the middle half of what begins this many cells from the edge. */
  #middle(cells: number, end: number): [from: number, to: number] {
    const from = Math.max(0, Math.round((cells + 0.25) * this.#side));
    return [from, Math.min(end, Math.max(from + 1, Math.round((cells + 0.75) * this.#side)))];
  }
}
