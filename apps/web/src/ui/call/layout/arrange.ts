import { gridOf } from "../stage/grid.ts";

/** Lengths are CSS pixels; `x` counts from where lines begin. */
export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface StageSize {
  width: number;
  height: number;
}

/** What is to be shown. Each tile has an id. */
export interface Cast {
  room: StageSize;
  /** Two at most. `fills`: of any shape, as screens are. */
  large: readonly { id: string; fills: boolean }[];
  /** All others, in their order. */
  small: readonly string[];
  /** Counted from 0. One that there is not is the last. */
  page: number;
  /** Comes to the page that is seen. */
  speaker: string | null;
  /** Keeps its place when the speaker comes. */
  own: string;
}

export interface Plan {
  /** Where each tile stands that is seen; the others are on other pages. */
  places: ReadonlyMap<string, Place>;
  page: number;
  pages: number;
  /** Where the buttons that turn pages stand; null where there is one page. */
  pager: Place | null;
}

/** Between tiles. */
const GAP = 8;
/** A name can be read on it, and a face recognised. */
const LEAST_WIDTH = 144;
/** More pictures at once are too many for a computer, and for people. */
const MOST_TILES = 16;
/** A button's, which is also how high or wide the pager is. */
const BUTTON = 44;
/** Beside what is large. */
const STRIP = { least: LEAST_WIDTH, share: 0.18, most: 320 };
/** Below what is large: two buttons high. */
const LOW_STRIP = { width: 112, height: 2 * BUTTON + GAP };
const ASPECT = 16 / 9;
/** A room less wide than this, for its height, has the others below what is large. */
const WIDE = 1.1;

/** Where each tile stands. */
export function arrange(cast: Cast): Plan {
  const { room, large, small } = cast;
  if (room.width <= 0 || room.height <= 0) return onOnePage(new Map());
  if (small.length === 0) return onOnePage(inMain(large, { x: 0, y: 0, ...room }));
  if (large.length === 0) return inGrid(cast, room);
  return room.width >= WIDE * room.height ? withStripBeside(cast) : withStripBelow(cast);
}

function onOnePage(places: Plan["places"]): Plan {
  return { places, page: 0, pages: 1, pager: null };
}

function inGrid(cast: Cast, room: StageSize): Plan {
  const { small } = cast;
  if (small.length <= MOST_TILES && gridOf(small.length, room, GAP).width >= LEAST_WIDTH)
    return onOnePage(gridPlaces(small, room));
  const isWide = room.width >= room.height;
  const rest = isWide ? { ...room, width: room.width - BUTTON - GAP } : { ...room, height: room.height - BUTTON - GAP };
  const most = mostReadable(small.length, rest);
  const paged = turned(cast, most);
  if (paged.pages === 1) return { ...pagesOf(paged), places: gridPlaces(small, room), pager: null };
  const pager = isWide
    ? { x: room.width - BUTTON, y: 0, width: BUTTON, height: room.height }
    : { x: 0, y: room.height - BUTTON, width: room.width, height: BUTTON };
  return { ...pagesOf(paged), places: gridPlaces(paged.seen, rest), pager };
}

/** How many of them one page holds. */
function mostReadable(count: number, room: StageSize): number {
  let most = Math.min(count, MOST_TILES);
  while (most > 1 && gridOf(most, room, GAP).width < LEAST_WIDTH) most--;
  return most;
}

/** The page that is seen, where one holds `most`: pages are as full as one another, and the speaker comes to it. */
function turned({ small, page: wanted, speaker, own }: Cast, most: number) {
  const pages = Math.max(1, Math.ceil(small.length / most));
  const each = Math.ceil(small.length / pages);
  const page = Math.min(Math.max(wanted, 0), pages - 1);
  const seen = small.slice(page * each, (page + 1) * each);
  // Where a page holds one, the others would never be seen.
  const comes = each > 1 || page === 0;
  if (comes && speaker !== null && small.includes(speaker) && !seen.includes(speaker)) {
    if (seen.length < each) seen.unshift(speaker);
    else
      seen[
        Math.max(
          seen.findLastIndex((id) => id !== own),
          0,
        )
      ] = speaker;
  }
  return { page, pages, seen };
}

function pagesOf({ page, pages }: { page: number; pages: number }): Pick<Plan, "page" | "pages"> {
  return { page, pages };
}

/** Rows of 16:9, in the middle of the room. */
function gridPlaces(ids: readonly string[], room: StageSize): Map<string, Place> {
  const { columns, width } = gridOf(ids.length, room, GAP);
  const height = width / ASPECT;
  const rows = Math.ceil(ids.length / columns);
  const top = (room.height - rows * height - (rows - 1) * GAP) / 2;
  return new Map(
    ids.map((id, at) => {
      const row = Math.floor(at / columns);
      const inRow = Math.min(columns, ids.length - row * columns);
      const left = (room.width - inRow * width - (inRow - 1) * GAP) / 2;
      return [id, { x: left + (at % columns) * (width + GAP), y: top + row * (height + GAP), width, height }];
    }),
  );
}

/** One takes all of the room, two a half each. */
function inMain(large: Cast["large"], room: Place): Map<string, Place> {
  const [first, second] = large;
  if (first === undefined) return new Map();
  if (second === undefined) return new Map([[first.id, fitted(first.fills, room)]]);
  const isBeside = gridOf(2, room, GAP).columns === 2;
  const half = isBeside ? { ...room, width: (room.width - GAP) / 2 } : { ...room, height: (room.height - GAP) / 2 };
  const other = isBeside ? { ...half, x: room.x + half.width + GAP } : { ...half, y: room.y + half.height + GAP };
  return new Map([
    [first.id, fitted(first.fills, half)],
    [second.id, fitted(second.fills, other)],
  ]);
}

/** People are shown in 16:9, in the middle of the room. */
function fitted(fills: boolean, room: Place): Place {
  if (fills) return room;
  const width = Math.min(room.width, room.height * ASPECT);
  const height = width / ASPECT;
  return { x: room.x + (room.width - width) / 2, y: room.y + (room.height - height) / 2, width, height };
}

function withStripBeside(cast: Cast): Plan {
  const { room, large } = cast;
  const width = Math.min(Math.max(STRIP.share * room.width, STRIP.least), STRIP.most);
  const height = Math.min(width / ASPECT, room.height - BUTTON - GAP);
  const x = room.width - width;
  const { paged, isPaged } = along(cast, room.height, height);
  const pager = isPaged ? { x, y: room.height - BUTTON, width, height: BUTTON } : null;
  const used = paged.seen.length * (height + GAP) - GAP;
  const top = Math.max((room.height - used) / 2, 0);
  const places = inMain(large, { x: 0, y: 0, width: x - GAP, height: room.height });
  for (const [at, id] of paged.seen.entries())
    places.set(id, { x, y: (isPaged ? 0 : top) + at * (height + GAP), width, height });
  return { ...pagesOf(paged), places, pager };
}

function withStripBelow(cast: Cast): Plan {
  const { room, large } = cast;
  const { width, height } = LOW_STRIP;
  const y = room.height - height;
  const { paged, isPaged } = along(cast, room.width, width);
  const pager = isPaged ? { x: room.width - BUTTON, y, width: BUTTON, height } : null;
  const used = paged.seen.length * (width + GAP) - GAP;
  const left = Math.max((room.width - used) / 2, 0);
  const places = inMain(large, { x: 0, y: 0, width: room.width, height: y - GAP });
  for (const [at, id] of paged.seen.entries())
    places.set(id, { x: (isPaged ? 0 : left) + at * (width + GAP), y, width, height });
  return { ...pagesOf(paged), places, pager };
}

/** What a strip of this length holds of tiles of that length. */
function along(cast: Cast, length: number, tile: number) {
  const holds = (room: number) => Math.max(Math.floor((room + GAP) / (tile + GAP)), 1);
  const isPaged = cast.small.length > holds(length);
  return { paged: turned(cast, isPaged ? holds(length - BUTTON - GAP) : cast.small.length), isPaged };
}
