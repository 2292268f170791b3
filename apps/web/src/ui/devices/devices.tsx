import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import type { DeviceNews } from "../../session/devices/device-watch.ts";
import type { DevicesView } from "../../session/devices/devices.ts";
import type { DeviceKind, DeviceProblem } from "../../session/devices/local.ts";
import { LanguageChoice } from "../language/language-choice.tsx";
import { DialogButton } from "../parts/dialog-button.tsx";
import styles from "../parts/fields.module.css";
import { SettingsIcon } from "../parts/icons.tsx";
import { SpeechChoice } from "../speech.tsx";
import { AddressChoice } from "./address.tsx";
import { useDeviceActions, useDevices } from "./devices-context.ts";
import { EffectsChoice } from "./effects-choice.tsx";
import { SpeakerTest } from "./speaker-test.tsx";

const problems: Record<"camera" | "microphone" | "both", Record<DeviceProblem, MessageDescriptor>> = {
  camera: {
    denied: msg`The camera is blocked. Allow it beside the page's address, then turn it on.`,
    missing: msg`No camera was found. Plug one in, then turn it on.`,
    busy: msg`Another program is using the camera. Close it there, then turn it on.`,
    unplugged: msg`The camera was unplugged. Plug it in again, or choose another one under Devices.`,
    interrupted: msg`Something else is using the camera. Your video goes on by itself when that ends.`,
  },
  microphone: {
    denied: msg`The microphone is blocked. Allow it beside the page's address, then turn it on.`,
    missing: msg`No microphone was found. Plug one in, then turn it on.`,
    busy: msg`Another program is using the microphone. Close it there, then turn it on.`,
    unplugged: msg`The microphone was unplugged. Plug it in again, or choose another one under Devices.`,
    interrupted: msg`Something else, such as a phone call, is using the microphone. Your sound goes on by itself when that ends.`,
  },
  both: {
    denied: msg`The camera and the microphone are blocked. Allow them beside the page's address, then turn them on.`,
    missing: msg`No camera or microphone was found. Plug one in, then turn it on.`,
    busy: msg`Another program is using the camera and the microphone. Close it there, then turn them on.`,
    unplugged: msg`The camera and the microphone were unplugged. Plug them in again, or choose others under Devices.`,
    interrupted: msg`Something else, such as a phone call, is using the camera and the microphone. Both go on by themselves when that ends.`,
  },
};

/** What keeps the camera and the microphone from working, in sentences; empty when nothing does. */
export function useDeviceProblems(): string[] {
  const { i18n } = useLingui();
  const camera = useDevices((view) => view.me.camera.problem);
  const microphone = useDevices((view) => view.me.microphone.problem);
  if (camera !== null && camera === microphone) return [i18n._(problems.both[camera])];
  return [
    ...(camera ? [i18n._(problems.camera[camera])] : []),
    ...(microphone ? [i18n._(problems.microphone[microphone])] : []),
  ];
}

const newsWords: Record<DeviceKind, Record<DeviceNews["is"], MessageDescriptor>> = {
  microphone: {
    replaced: msg`The microphone was unplugged. Another one is in use now:`,
    returned: msg`The microphone is in use again:`,
    followed: msg`Another microphone is in use now:`,
  },
  camera: {
    replaced: msg`The camera was unplugged. Another one is in use now:`,
    returned: msg`The camera is in use again:`,
    followed: msg`Another camera is in use now:`,
  },
  speaker: {
    replaced: msg`The speaker that you chose was unplugged. You hear everyone over another one.`,
    returned: msg`The speaker is in use again:`,
    followed: msg`Another speaker is in use now:`,
  },
};

/** What became of a device without the person's doing, with the device's name where it has one. */
export function DeviceNewsWords({ kind, is, label }: DeviceNews) {
  const { i18n } = useLingui();
  return (
    <span>
      {i18n._(newsWords[kind][is])} <bdi>{label}</bdi>
    </span>
  );
}

/** The same choice during a call. */
export function DeviceSettings() {
  const { t } = useLingui();
  return (
    <DialogButton look="toggle" icon={<SettingsIcon />} label={t`Devices`}>
      <div className={styles.columns}>
        <div className={styles.settings}>
          <DevicePickers />
        </div>
        <EffectsChoice />
      </div>
    </DialogButton>
  );
}

export function DevicePickers() {
  const { t } = useLingui();
  return (
    <>
      <Picker kind="camera" list="cameras" label={t`Camera`} />
      <Picker kind="microphone" list="microphones" label={t`Microphone`} />
      <SpeakerTest>
        {"setSinkId" in HTMLMediaElement.prototype ? (
          <Picker kind="speaker" list="speakers" label={t`Speaker`} />
        ) : null}
      </SpeakerTest>
      <SpeechChoice />
      <AddressChoice />
      <LanguageChoice />
    </>
  );
}

function Picker({ kind, list, label }: { kind: DeviceKind; list: keyof DevicesView["devices"]; label: string }) {
  const actions = useDeviceActions();
  const devices = useDevices((view) => view.devices[list]);
  const chosen = useDevices((view) => view.chosen[kind]);
  return (
    <label className={styles.field}>
      {label}
      <select value={chosen} onChange={(event) => actions.choose(kind, event.target.value)}>
        {devices.length === 0 && (
          <option value="">
            <Trans>Browser's choice</Trans>
          </option>
        )}
        {devices.map((device, index) => (
          <option key={device.deviceId} value={device.deviceId}>
            {device.label || `${label} ${index + 1}`}
          </option>
        ))}
      </select>
    </label>
  );
}
