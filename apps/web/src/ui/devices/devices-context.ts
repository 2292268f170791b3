import { createContext, useContext } from "react";
import { type StoreApi, useStore } from "zustand";
import type { DeviceActions, DevicesView } from "../../session/devices/devices.ts";
import type { AddressActions, AddressView } from "../../session/ice-access.ts";

type View = DevicesView & AddressView;
type Actions = DeviceActions & AddressActions;

/** Whatever has devices: a call, or a live stream at its host. */
interface OpenDevices {
  store: Pick<StoreApi<View>, "getState" | "getInitialState" | "subscribe">;
  actions: Actions;
}

export const DevicesContext = createContext<OpenDevices | null>(null);

function useOpen(): OpenDevices {
  const open = useContext(DevicesContext);
  if (open === null) throw new Error("Used where there are no devices");
  return open;
}

export const useDeviceActions = (): Actions => useOpen().actions;

/** The part of the devices' view that `select` picks; it must return the same value for the same view. */
export const useDevices = <T>(select: (view: View) => T): T => useStore(useOpen().store, select);
