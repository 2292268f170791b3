import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { OpenHost } from "../../session/live/host.ts";
import type { HostActions, HostView } from "../../session/live/host-view.ts";
import type { OpenWatch } from "../../session/live/viewer.ts";
import type { WatchActions, WatchView } from "../../session/live/watch-view.ts";

export const HostContext = createContext<OpenHost | null>(null);
export const WatchContext = createContext<OpenWatch | null>(null);

function opened<T>(value: T | null): T {
  if (value === null) throw new Error("Used outside a live stream");
  return value;
}

export const useHostActions = (): HostActions => opened(useContext(HostContext)).actions;
export const useWatchActions = (): WatchActions => opened(useContext(WatchContext)).actions;

/** For the dashboard. */
export const useHostMeasurable = (): OpenHost["measurable"] => opened(useContext(HostContext)).measurable;
export const useWatchMeasurable = (): OpenWatch["measurable"] => opened(useContext(WatchContext)).measurable;

/** The part of the host's view that `select` picks; it must return the same value for the same view. */
export const useHost = <T>(select: (view: HostView) => T): T => useStore(opened(useContext(HostContext)).store, select);

/** The part of a viewer's view that `select` picks; it must return the same value for the same view. */
export const useWatch = <T>(select: (view: WatchView) => T): T =>
  useStore(opened(useContext(WatchContext)).store, select);
