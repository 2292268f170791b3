import { useLingui } from "@lingui/react/macro";
import { Toggle } from "../../devices/toggle.tsx";
import { ScreenIcon } from "../../parts/icons.tsx";
import { useActions, useView } from "../call-context.ts";

/** Phones have no way to share a screen: there it is not offered. */
export function ScreenToggle() {
  const { t } = useLingui();
  const actions = useActions();
  const on = useView((view) => view.me.screen);
  if (!("getDisplayMedia" in navigator.mediaDevices)) return null;
  return (
    <Toggle name={t`Screen share`} device={{ on, problem: null }} standingOut="on" set={(on) => actions.share(on)}>
      <ScreenIcon />
    </Toggle>
  );
}
