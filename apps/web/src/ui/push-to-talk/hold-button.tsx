import { Trans } from "@lingui/react/macro";
import type { PointerEvent } from "react";
import { useDeviceActions, useDevices } from "../devices/devices-context.ts";
import { MicrophoneIcon, MicrophoneOffIcon } from "../parts/icons.tsx";
import toggle from "../parts/toggle.module.css";
import styles from "./hold-button.module.css";
import { useTalking } from "./talking.ts";

/**
 * The microphone, on while the button is held with a finger, a mouse or the space bar. Who cannot hold it, or uses it by
 * something that clicks, turns it on and off by Enter or that click.
 */
export default function HoldButton() {
  const actions = useDeviceActions();
  const device = useDevices((view) => view.me.microphone);
  const hold = useTalking();
  const press = (event: PointerEvent<HTMLButtonElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    hold(true);
  };
  return (
    <button
      type="button"
      className={`${toggle.toggle} ${styles.hold}`}
      aria-pressed={device.on}
      data-standing-out="off"
      data-problem={device.problem}
      data-talk
      onPointerDown={press}
      onPointerUp={() => hold(false)}
      onPointerCancel={() => hold(false)}
      onLostPointerCapture={() => hold(false)}
      onContextMenu={(event) => event.preventDefault()}
      // A click that no pointer made; the others have been held.
      onClick={({ detail }) => detail === 0 && actions.setMicrophone(!device.on)}
    >
      {device.on ? <MicrophoneIcon /> : <MicrophoneOffIcon />}
      <span>
        <Trans>Hold to talk</Trans>
      </span>
    </button>
  );
}
