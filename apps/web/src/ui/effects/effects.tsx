import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { type ChangeEvent, useState } from "react";
import type { BackgroundChoice } from "../../session/devices/effects-view.ts";
import button from "../button.module.css";
import { useDeviceActions, useDevices } from "../devices/devices-context.ts";
import option from "../parts/option.module.css";
import { Video } from "../parts/video.tsx";
import { CameraCost, MicrophoneCost } from "./cost.tsx";
import styles from "./effects.module.css";
import { BACKGROUNDS, rememberBackground, rememberNoise, rememberOwnPicture, rememberPushToTalk } from "./recalled.ts";

const names: Record<BackgroundChoice, MessageDescriptor> = {
  none: msg`None`,
  blur: msg`Blur`,
  dusk: msg`Dusk`,
  mist: msg`Mist`,
  leaf: msg`Leaf`,
  own: msg`Your picture`,
};

export default function Choices() {
  const canTreat = useDevices((view) => view.effects.canTreat);
  return (
    <div className={styles.effects}>
      {canTreat ? (
        <>
          <Preview />
          <Backgrounds />
          <Noise />
        </>
      ) : (
        <p>
          <Trans>
            This browser cannot change your background or suppress noise. A current Chrome or Edge on a computer can.
          </Trans>
        </p>
      )}
      <PushToTalk />
    </div>
  );
}

/** What others see. */
function Preview() {
  const { t } = useLingui();
  const { picture, camera } = useDevices((view) => view.me);
  const { state } = useDevices((view) => view.effects.camera);
  return (
    <div className={styles.preview}>
      {!camera.on && (
        <p>{state === "starting" ? <Trans>Starting your background…</Trans> : <Trans>Your camera is off</Trans>}</p>
      )}
      <Video stream={camera.on ? picture : null} label={t`What others see`} hidden={!camera.on} mirrored muted />
    </div>
  );
}

function Backgrounds() {
  const actions = useDeviceActions();
  const chosen = useDevices((view) => view.effects.background);
  const ownPicture = useDevices((view) => view.effects.ownPicture);
  const choose = (background: BackgroundChoice) => {
    rememberBackground(background);
    actions.chooseBackground(background);
  };
  const shown = BACKGROUNDS.filter((background) => background !== "own" || ownPicture !== "");
  return (
    <fieldset className={styles.backgrounds}>
      <legend>
        <Trans>Background</Trans>
      </legend>
      <div className={styles.swatches}>
        {shown.map((background) => (
          <Swatch key={background} is={background} chosen={chosen === background} onChoose={() => choose(background)} />
        ))}
      </div>
      <OwnPicture />
      <p className={styles.note}>
        <Trans>Nobody sees your room: if the background stops working, your camera goes off.</Trans>
      </p>
      <CameraCost />
    </fieldset>
  );
}

function Swatch({ is, chosen, onChoose }: { is: BackgroundChoice; chosen: boolean; onChoose: () => void }) {
  const { i18n } = useLingui();
  const ownPicture = useDevices((view) => view.effects.ownPicture);
  return (
    <label className={styles.swatch}>
      <input type="radio" name="background" checked={chosen} onChange={onChoose} />
      <span className={styles.sample} data-background={is}>
        {is === "own" && <img src={ownPicture} alt="" />}
      </span>
      {i18n._(names[is])}
    </label>
  );
}

function OwnPicture() {
  const actions = useDeviceActions();
  const [isRefused, setRefused] = useState(false);
  const choose = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? [];
    if (file === undefined) return;
    const kept = await actions.chooseOwnPicture(file);
    setRefused(kept === null);
    if (kept === null) return;
    rememberOwnPicture(kept);
    rememberBackground("own");
  };
  return (
    <>
      <label className={`${button.quiet} ${styles.file}`}>
        <Trans>Choose a picture…</Trans>
        <input type="file" accept="image/*" onChange={(event) => void choose(event)} />
      </label>
      <output className={styles.note}>
        {isRefused && <Trans>That is not a picture, or it is larger than 20 MB.</Trans>}
      </output>
      <p className={styles.note}>
        <Trans>Your picture stays on this device.</Trans>
      </p>
    </>
  );
}

function Noise() {
  const actions = useDeviceActions();
  const on = useDevices((view) => view.effects.noise);
  const choose = (next: boolean) => {
    rememberNoise(next);
    actions.suppressNoise(next);
  };
  return (
    <div>
      <label className={option.option}>
        <input type="checkbox" checked={on} onChange={(event) => choose(event.target.checked)} />
        <span>
          <Trans>Suppress noise</Trans>
          <small>
            <Trans>Takes more noise away around your voice than the browser does, on this device.</Trans>
          </small>
        </span>
      </label>
      <MicrophoneCost />
    </div>
  );
}

function PushToTalk() {
  const actions = useDeviceActions();
  const on = useDevices((view) => view.pushToTalk);
  const choose = (next: boolean) => {
    rememberPushToTalk(next);
    actions.setPushToTalk(next);
  };
  return (
    <label className={option.option}>
      <input type="checkbox" checked={on} onChange={(event) => choose(event.target.checked)} />
      <span>
        <Trans>Push to talk</Trans>
        <small>
          <Trans>Your microphone is on only while you hold the space bar or the microphone button.</Trans>
        </small>
      </span>
    </label>
  );
}
