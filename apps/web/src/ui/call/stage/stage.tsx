import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Person } from "../../../session/call/person.ts";
import { Video } from "../../parts/video.tsx";
import { useView } from "../call-context.ts";
import { arrange, type StageSize } from "../layout/arrange.ts";
import { useLayout, useLayoutActions, usePresent } from "../layout/layout-context.ts";
import { largeOf, OWN, screenOf } from "../layout/layout-store.ts";
import { Pager } from "../layout/pager.tsx";
import { ScreenTile } from "../layout/screen-tile.tsx";
import styles from "./stage.module.css";
import { OwnTile, PersonTile } from "./tile.tsx";

/** All tiles, each once whatever the layout is: one that moves goes on playing. Those on other pages are heard and not seen. */
export function Stage({ silent, onSilenced }: { silent: boolean; onSilenced: () => void }) {
  const people = useView((view) => view.people);
  const stage = useRef<HTMLDivElement>(null);
  const { plan, large } = usePlan(useRoom(stage));
  const placeOf = (id: string) => plan.places.get(id) ?? null;
  return (
    <div ref={stage} className={styles.stage} data-stage>
      {people
        .filter(({ screen }) => screen !== null)
        .map((person) => {
          const tile = screenOf(person.id);
          return <ScreenTile key={tile} person={person} place={placeOf(tile)} isLarge={large.includes(tile)} />;
        })}
      {people.map((person) => (
        <PersonTile
          key={person.id}
          person={person}
          place={placeOf(person.id)}
          silent={silent}
          onSilenced={onSilenced}
        />
      ))}
      {people.map((person) => (
        <ScreenSound key={person.id} person={person} silent={silent} onSilenced={onSilenced} />
      ))}
      <OwnTile place={placeOf(OWN)} />
      {plan.pager !== null && <Pager page={plan.page} pages={plan.pages} place={plan.pager} />}
    </div>
  );
}

interface ScreenSoundProps {
  person: Person;
  silent: boolean;
  onSilenced: () => void;
}

/** The sound of what a person shares, as loud as they are: it goes on wherever the picture is, and where it is not. */
function ScreenSound({ person: { identity, screenSound }, silent, onSilenced }: ScreenSoundProps) {
  const speaker = useView((view) => view.chosen.speaker);
  const volume = useLayout(({ volumes }) => volumes[identity] ?? 1);
  if (screenSound === null) return null;
  return (
    <Video
      {...{ stream: screenSound, speaker, volume }}
      hidden
      mirrored={false}
      muted={silent}
      onRefused={onSilenced}
    />
  );
}

/** Which tiles are large, and where each stands. */
function usePlan(room: StageSize) {
  const present = usePresent();
  const layout = useLayout((state) => state);
  const { keep } = useLayoutActions();
  useEffect(() => keep(present), [keep, present]);

  return useMemo(() => {
    const { people, sharing, speaker } = present;
    const screens = sharing.map(screenOf);
    const large = largeOf(layout, present);
    // Who is alone sees themselves: there is nothing else.
    const own = layout.hidesOwn && people.length > 0 ? [] : [OWN];
    const small = [...screens, ...people, ...own].filter((id) => !large.includes(id));
    const cast = large.map((id) => ({ id, fills: screens.includes(id) }));
    return { large, plan: arrange({ room, large: cast, small, page: layout.page, speaker, own: OWN }) };
  }, [room, layout, present]);
}

/** How much room there is. */
function useRoom(stage: RefObject<HTMLElement | null>): StageSize {
  const [room, setRoom] = useState<StageSize>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const { current } = stage;
    if (current === null) return;
    setRoom({ width: current.clientWidth, height: current.clientHeight });
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setRoom({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [stage]);
  return room;
}
