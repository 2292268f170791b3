import { useCallback, useEffect, useRef } from "react";
import { useDeviceActions } from "../devices/devices-context.ts";

/**
 * Turns the microphone on while something is held, and off however that ends: let go, the window left, the page hidden, what
 * is held gone from the page.
 */
export function useTalking(): (held: boolean) => void {
  const actions = useDeviceActions();
  const isHeld = useRef(false);
  const hold = useCallback(
    (held: boolean) => {
      if (held === isHeld.current) return;
      isHeld.current = held;
      actions.setMicrophone(held);
    },
    [actions],
  );

  useEffect(() => {
    const letGo = () => hold(false);
    addEventListener("blur", letGo);
    addEventListener("pagehide", letGo);
    document.addEventListener("visibilitychange", letGo);
    return () => {
      letGo();
      removeEventListener("blur", letGo);
      removeEventListener("pagehide", letGo);
      document.removeEventListener("visibilitychange", letGo);
    };
  }, [hold]);
  return hold;
}
