import { useLingui } from "@lingui/react/macro";
import { lazy, type ReactNode, Suspense } from "react";
import type { Device } from "../../session/devices/local.ts";
import { CameraIcon, CameraOffIcon, MicrophoneIcon, MicrophoneOffIcon } from "../parts/icons.tsx";
import styles from "../parts/toggle.module.css";
import { useDeviceActions, useDevices } from "./devices-context.ts";

const HoldButton = lazy(() => import("../push-to-talk/hold-button.tsx"));
const SpaceKey = lazy(() => import("../push-to-talk/space-key.tsx"));

/** Where the person has chosen push to talk, it is held, and so is the space bar. */
export function MicrophoneToggle() {
  const pushToTalk = useDevices((view) => view.pushToTalk);
  if (!pushToTalk) return <MicrophoneSwitch />;
  return (
    <Suspense fallback={<MicrophoneSwitch />}>
      <HoldButton />
      <SpaceKey />
    </Suspense>
  );
}

function MicrophoneSwitch() {
  const { t } = useLingui();
  const actions = useDeviceActions();
  const device = useDevices((view) => view.me.microphone);
  return (
    <Toggle name={t`Microphone`} device={device} set={(on) => actions.setMicrophone(on)}>
      {device.on ? <MicrophoneIcon /> : <MicrophoneOffIcon />}
    </Toggle>
  );
}

export function CameraToggle() {
  const { t } = useLingui();
  const actions = useDeviceActions();
  const device = useDevices((view) => view.me.camera);
  return (
    <Toggle name={t`Camera`} device={device} set={(on) => actions.setCamera(on)}>
      {device.on ? <CameraIcon /> : <CameraOffIcon />}
    </Toggle>
  );
}

interface ToggleProps {
  name: string;
  device: Device;
  /** Which of its states the person should not overlook. */
  standingOut?: "on" | "off";
  set: (on: boolean) => void;
  children: ReactNode;
}

/** A switch of one device. */
export function Toggle({ name, device, standingOut = "off", set, children }: ToggleProps) {
  return (
    <button
      type="button"
      className={styles.toggle}
      aria-pressed={device.on}
      data-standing-out={standingOut}
      data-problem={device.problem}
      onClick={() => set(!device.on)}
    >
      {children}
      <span>{name}</span>
    </button>
  );
}
