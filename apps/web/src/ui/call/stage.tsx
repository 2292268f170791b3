import { type RefObject, useLayoutEffect, useRef } from "react";
import { useView } from "./call-context.ts";
import { gridOf } from "./grid.ts";
import styles from "./stage.module.css";
import { OwnTile, PersonTile, ScreenTile } from "./tile.tsx";

/** Space between tiles, CSS pixels; the style sheet reads it too. */
const gap = 8;

export function Stage({ silent, onSilenced }: { silent: boolean; onSilenced: () => void }) {
  const people = useView((view) => view.people);
  const sharing = people.filter(({ screen }) => screen !== null);
  const stage = useRef<HTMLDivElement>(null);
  useGrid(stage, people.length + sharing.length + 1);
  return (
    <div ref={stage} className={styles.stage} data-stage>
      <div className={styles.tiles}>
        {sharing.map((person) => (
          <ScreenTile key={person.id} person={person} />
        ))}
        {people.map((person) => (
          <PersonTile key={person.id} person={person} silent={silent} onSilenced={onSilenced} />
        ))}
        <OwnTile />
      </div>
    </div>
  );
}

/** Keeps the tiles as large as the stage allows. */
function useGrid(stage: RefObject<HTMLElement | null>, count: number): void {
  useLayoutEffect(() => {
    const { current } = stage;
    if (current === null) return;
    const fit = (room: { width: number; height: number }) => {
      const { columns, width } = gridOf(count, room, gap);
      current.style.setProperty("--gap", `${gap}px`);
      current.style.setProperty("--tile-width", `${width}px`);
      current.style.setProperty("--row-width", `${columns * width + (columns - 1) * gap}px`);
    };
    fit({ width: current.clientWidth, height: current.clientHeight });
    const observer = new ResizeObserver(([entry]) => entry && fit(entry.contentRect));
    observer.observe(current);
    return () => observer.disconnect();
  }, [stage, count]);
}
