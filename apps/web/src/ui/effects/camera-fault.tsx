import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import type { EffectFault } from "../../session/devices/effects-view.ts";
import button from "../button.module.css";
import { useDeviceActions } from "../devices/devices-context.ts";
import { rememberBackground } from "./recalled.ts";

/** Why the camera went off. Only the person's own click shows the room. */
export default function CameraFault({ fault }: { fault: EffectFault }) {
  const actions = useDeviceActions();
  const [isKnown, setKnown] = useState(false);
  if (isKnown) return null;
  const showRoom = () => {
    rememberBackground("none");
    actions.chooseBackground("none");
    actions.setCamera(true);
  };
  return (
    <>
      <span>
        {fault === "too-slow" ? (
          <Trans>This computer is too slow for a background, so your camera is off.</Trans>
        ) : (
          <Trans>Your background stopped working, so your camera is off.</Trans>
        )}
      </span>
      <button type="button" className={button.quiet} onClick={() => actions.setCamera(true)}>
        <Trans>Try again</Trans>
      </button>
      <button type="button" className={button.quiet} onClick={showRoom}>
        <Trans>Show my room</Trans>
      </button>
      <button type="button" className={button.quiet} onClick={() => setKnown(true)}>
        <Trans>Stay off</Trans>
      </button>
    </>
  );
}
