interface Grid {
  columns: number;
  /** Width of a tile, CSS pixels. */
  width: number;
}

const aspect = 16 / 9;

/** The columns that give `count` tiles of 16:9 the most room. Lengths are CSS pixels. */
export function gridOf(count: number, room: { width: number; height: number }, gap: number): Grid {
  let best: Grid = { columns: 1, width: 0 };
  for (let columns = 1; columns <= count; columns++) {
    const rows = Math.ceil(count / columns);
    const across = (room.width - gap * (columns - 1)) / columns;
    const down = (room.height - gap * (rows - 1)) / rows;
    const width = Math.floor(Math.min(across, down * aspect));
    if (width > best.width) best = { columns, width };
  }
  return best;
}
