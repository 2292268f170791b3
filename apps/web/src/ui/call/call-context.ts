import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { openCall } from "../../session/call/call.ts";
import type { CallActions, CallView } from "../../session/call/call-view.ts";

export const CallContext = createContext<ReturnType<typeof openCall> | null>(null);

function useCall() {
  const call = useContext(CallContext);
  if (call === null) throw new Error("Used outside a call");
  return call;
}

export const useActions = (): CallActions => useCall().actions;

/** Gives the whole view as it is when it is asked. */
export const useCallState = (): (() => CallView) => useCall().store.getState;

/** For the dashboard. */
export const useMeasurable = (): ReturnType<typeof openCall>["measurable"] => useCall().measurable;

/** The part of the call's view that `select` picks; it must return the same value for the same view. */
export const useView = <T>(select: (view: CallView) => T): T => useStore(useCall().store, select);
