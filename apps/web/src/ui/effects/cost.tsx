import { Trans, useLingui } from "@lingui/react/macro";
import type { EffectFault, EffectView } from "../../session/devices/effects-view.ts";
import { useDevices } from "../devices/devices-context.ts";
import styles from "./effects.module.css";

export function CameraCost() {
  const effect = useDevices((view) => view.effects.camera);
  return (
    <>
      <Loading {...effect} />
      <output className={styles.note}>
        {effect.isSmaller && <Trans>Your video is sent smaller, since this computer does not keep up.</Trans>}
      </output>
      <Cost {...effect} />
    </>
  );
}

export function MicrophoneCost() {
  const effect = useDevices((view) => view.effects.microphone);
  return (
    <>
      <Loading {...effect} />
      <output className={styles.note}>{effect.fault !== null && <NoiseFault fault={effect.fault} />}</output>
      <Cost {...effect} />
    </>
  );
}

export function NoiseFault({ fault }: { fault: EffectFault }) {
  switch (fault) {
    case "silent":
      return <Trans>Noise suppression gave only silence, so it is off. Others can hear you.</Trans>;
    case "too-slow":
      return <Trans>Noise suppression is off, since this computer does not keep up.</Trans>;
    case "failed":
      return <Trans>Noise suppression stopped working, so it is off.</Trans>;
  }
}

function Loading({ state, loaded }: EffectView) {
  const { t, i18n } = useLingui();
  if (state !== "starting") return null;
  const percent = i18n.number(loaded, { style: "percent" });
  return (
    <small className={styles.note}>
      <progress aria-label={t`Loading`} value={loaded} />
      {percent}
    </small>
  );
}

/** As measured in the last half second. Not announced: it changes all the time. */
function Cost({ state, cost }: EffectView) {
  const { i18n } = useLingui();
  if (state !== "on" || cost === null) return null;
  const ms = (value: number) =>
    i18n.number(value, { style: "unit", unit: "millisecond", maximumFractionDigits: value < 10 ? 1 : 0 });
  const [work, delay] = [ms(cost.msPerFrame), ms(cost.delayMs)];
  const share = i18n.number(cost.share, { style: "percent" });
  return (
    <small className={styles.note} data-cost={JSON.stringify(cost)}>
      <Trans>
        On this computer: {work} for each frame, {share} of a processor core, {delay} of delay.
      </Trans>
    </small>
  );
}
