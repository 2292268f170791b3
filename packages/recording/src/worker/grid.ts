export interface GridSize {
  readonly width: number;
  readonly height: number;
}

export interface GridCell extends GridSize {
  readonly x: number;
  readonly y: number;
}

/** Between tiles, in pixels. */
const GAP = 8;
/** Of a tile's width to its height. */
const ASPECT = 16 / 9;

/** Where each of `count` tiles of one size goes: in rows, as large as they can be, an incomplete last row in the middle. */
export function gridOf(count: number, within: GridSize): GridCell[] {
  const columns = bestColumns(count, within);
  const rows = Math.ceil(count / columns);
  const { width, height } = tile(columns, rows, within);
  return Array.from({ length: count }, (_, number) => {
    const row = Math.floor(number / columns);
    const inRow = Math.min(columns, count - row * columns);
    const left = (within.width - inRow * (width + GAP) + GAP) / 2;
    const top = (within.height - rows * (height + GAP) + GAP) / 2;
    return {
      x: Math.round(left + (number % columns) * (width + GAP)),
      y: Math.round(top + row * (height + GAP)),
      width,
      height,
    };
  });
}

function bestColumns(count: number, within: GridSize): number {
  let best = 1;
  for (let columns = 2; columns <= count; columns++) {
    const widthOf = (number: number) => tile(number, Math.ceil(count / number), within).width;
    if (widthOf(columns) > widthOf(best)) best = columns;
  }
  return best;
}

function tile(columns: number, rows: number, within: GridSize): GridSize {
  const width = (within.width - (columns + 1) * GAP) / columns;
  const height = (within.height - (rows + 1) * GAP) / rows;
  return fitted({ width: ASPECT, height: 1 }, { width, height }, Number.POSITIVE_INFINITY);
}

/** As large as fits in `most` without being cut or stretched, but at most `enlarged` times as large. In whole pixels. */
export function fitted(size: GridSize, most: GridSize, enlarged = 1): GridSize {
  const scale = Math.min(enlarged, most.width / size.width, most.height / size.height);
  return {
    width: Math.max(1, Math.floor(size.width * scale)),
    height: Math.max(1, Math.floor(size.height * scale)),
  };
}

/** In the middle of `place`, all of it to be seen. */
export function centred(size: GridSize, place: GridCell): GridCell {
  const { width, height } = fitted(size, place, Number.POSITIVE_INFINITY);
  return {
    x: place.x + Math.floor((place.width - width) / 2),
    y: place.y + Math.floor((place.height - height) / 2),
    width,
    height,
  };
}

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** What a person sees as single characters, however many code points they are made of. */
export function charactersOf(text: string): string[] {
  return [...characters.segment(text)].map(({ segment }) => segment);
}

/** Of the first and the last word. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== "");
  const [first = "", last = ""] = [words[0], words.length > 1 ? words.at(-1) : undefined];
  return [first, last]
    .map((word) => charactersOf(word)[0] ?? "")
    .join("")
    .toUpperCase();
}
