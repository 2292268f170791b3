import { createStore, type StoreApi } from "zustand/vanilla";
import { recall, remember } from "../../stored.ts";

export type StageLayout = "grid" | "speaker";

/** How this person looks at the call. Tiles are known by id: a person's, or what `screenOf` makes of it. */
export interface LayoutState {
  layout: StageLayout;
  /** This person does not see themselves. The others do. */
  hidesOwn: boolean;
  /** Large by this person's choice, the latest last. */
  pins: readonly string[];
  /** Screens that stay small, as long as who shares them is here: sharing again does not take the stage back. */
  shrunk: readonly string[];
  page: number;
  /** How loud each person is here, by identity, from 0 to 1; 1 where nothing was chosen. */
  volumes: Readonly<Record<string, number>>;
}

export interface LayoutActions {
  choose(layout: StageLayout): void;
  hideOwn(hides: boolean): void;
  pin(id: string, on: boolean): void;
  shrink(id: string): void;
  turn(page: number): void;
  setVolume(identity: string, volume: number): void;
  /** These are here: what was chosen for others is forgotten. */
  keep(present: Pick<PresentPeople, "people" | "sharing">): void;
}

export interface OpenLayout {
  store: StoreApi<LayoutState>;
  actions: LayoutActions;
}

/** This person's own tile. */
export const OWN = "own";
/** The tile of the screen that a person shares. */
export const screenOf = (person: string): string => `screen ${person}`;

/** A speaker and an interpreter, say. */
const MOST_PINS = 2;
const LAYOUT_KEY = "sealcast.layout";
const OWN_KEY = "sealcast.own-video";

/** Lasts as long as the call. The layout, and whether one sees oneself, are kept for the next one. */
export function openLayout(): OpenLayout {
  const store = createStore<LayoutState>(() => ({
    layout: recall(LAYOUT_KEY) === "speaker" ? "speaker" : "grid",
    hidesOwn: recall(OWN_KEY) === "hidden",
    pins: [],
    shrunk: [],
    page: 0,
    volumes: {},
  }));
  const change = store.setState;
  return {
    store,
    actions: {
      choose: (layout) => {
        remember(LAYOUT_KEY, layout);
        change({ layout, pins: [], page: 0 });
      },
      hideOwn: (hidesOwn) => {
        remember(OWN_KEY, hidesOwn ? "hidden" : "shown");
        change(({ pins }) => ({ hidesOwn, pins: hidesOwn ? pins.filter((id) => id !== OWN) : pins }));
      },
      pin: (id, on) =>
        change(({ pins, shrunk }) => ({
          pins: [...pins.filter((pinned) => pinned !== id), ...(on ? [id] : [])].slice(-MOST_PINS),
          shrunk: shrunk.filter((other) => other !== id),
        })),
      shrink: (id) => change(({ shrunk }) => ({ shrunk: [...shrunk, id] })),
      turn: (page) => change({ page }),
      setVolume: (identity, volume) => change(({ volumes }) => ({ volumes: { ...volumes, [identity]: volume } })),
      keep: ({ people, sharing }) =>
        change(({ pins, shrunk }) => ({
          pins: pins.filter((id) => [OWN, ...people, ...sharing.map(screenOf)].includes(id)),
          shrunk: shrunk.filter((id) => people.map(screenOf).includes(id)),
        })),
    },
  };
}

export interface PresentPeople {
  people: readonly string[];
  /** Whose screens are shared. */
  sharing: readonly string[];
  speaker: string | null;
}

/**
 * Ids of the tiles that are large: those that are pinned, then shared screens, then in the speaker's layout who speaks. A
 * screen takes the stage by itself, and gives it back when it ends.
 */
export function largeOf({ layout, pins, shrunk }: LayoutState, { people, sharing, speaker }: PresentPeople): string[] {
  const screens = sharing.map(screenOf);
  const chosen = pins.filter((id) => id === OWN || people.includes(id) || screens.includes(id));
  const shown = screens.filter((id) => !shrunk.includes(id) && !chosen.includes(id));
  const large = [...chosen, ...shown].slice(0, MOST_PINS);
  if (large.length > 0 || layout === "grid") return large;
  return [speaker ?? people[0]].filter((id) => id !== undefined);
}
