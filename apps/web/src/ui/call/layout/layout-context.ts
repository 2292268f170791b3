import { createContext, useCallback, useContext, useEffect, useMemo } from "react";
import { useStore } from "zustand";
import { RECORDED, type Shown } from "../../../session/peer/shown.ts";
import { useActions, useView } from "../call-context.ts";
import { type LayoutActions, type LayoutState, type OpenLayout, type PresentPeople, screenOf } from "./layout-store.ts";
import type { SeenSize, Sights } from "./sights.ts";

interface CallLayout extends OpenLayout {
  sights: Sights;
}

export const LayoutContext = createContext<CallLayout | null>(null);

function useOpen(): CallLayout {
  const open = useContext(LayoutContext);
  if (open === null) throw new Error("Used outside a call");
  return open;
}

export const useLayoutActions = (): LayoutActions => useOpen().actions;

/** The part of the layout's state that `select` picks; it must return the same value for the same state. */
export const useLayout = <T>(select: (state: LayoutState) => T): T => useStore(useOpen().store, select);

/** To be called with how large a person's video is drawn in that place, whenever that changes: its sender hears of it. */
export function useSight(where: "stage" | "window", id: string, source: Shown["source"]): (size: SeenSize) => void {
  const actions = useActions();
  const { sights } = useOpen();
  const keepsRate = useLayout(({ pins }) => pins.includes(source === "camera" ? id : screenOf(id)));
  const least = useView(({ recording }) => (recording.state === "none" ? 0 : RECORDED));
  const video = `${id} ${source}`;
  const tell = useCallback(() => {
    const size = sights.of(video);
    if (size === null) return;
    const [width, height] = [Math.max(size.width, least), Math.max(size.height, least)];
    actions.shows(id, { source, width, height, keepsRate });
  }, [actions, sights, id, source, video, keepsRate, least]);
  useEffect(tell, [tell]);
  return useCallback(
    (size) => {
      sights.see(video, where, size);
      tell();
    },
    [sights, video, where, tell],
  );
}

/** Who is here, who shares a screen and who speaks; the same object until one of these changes. */
export function usePresent(): PresentPeople {
  const everybody = useView((view) => view.people);
  const speaker = useView((view) => view.speaker);
  const people = everybody.map(({ id }) => id).join();
  const sharing = everybody.flatMap(({ id, screen }) => (screen === null ? [] : [id])).join();
  return useMemo(() => ({ people: ids(people), sharing: ids(sharing), speaker }), [people, sharing, speaker]);
}

/** Ids are hexadecimal. */
function ids(joined: string): string[] {
  return joined === "" ? [] : joined.split(",");
}
