import { Trans, useLingui } from "@lingui/react/macro";
import { type SubmitEvent, useEffect, useRef, useState } from "react";
import button from "../button.module.css";
import { DevicePickers, useDeviceProblems } from "../devices/devices.tsx";
import { EffectsButton } from "../devices/effects-choice.tsx";
import { LevelMeter } from "../devices/level-meter.tsx";
import { CameraToggle, MicrophoneToggle } from "../devices/toggle.tsx";
import { EffectNotice } from "../effects/faults.tsx";
import { usePageTitle } from "../page-title.ts";
import fields from "../parts/fields.module.css";
import { AlertIcon } from "../parts/icons.tsx";
import { Video } from "../parts/video.tsx";
import { useActions, useView } from "./call-context.ts";
import styles from "./lobby.module.css";
import { CutName, recallName, rememberName } from "./people/own-name.tsx";

export function Lobby() {
  const { t } = useLingui();
  usePageTitle(t`Join a call – Sealcast`);
  return (
    <main className={styles.lobby}>
      <div className={styles.you}>
        <Preview />
        <LevelMeter />
      </div>
      <div className={styles.side}>
        <JoinForm />
        <DeviceProblems />
        <EffectNotice />
        <DevicePickers />
      </div>
      <div className={styles.also}>
        <EffectsButton />
        <p className={styles.who}>
          <Trans>Anyone with the link can join, so share it only with people you trust.</Trans>
        </p>
      </div>
    </main>
  );
}

function Preview() {
  const { t } = useLingui();
  const { picture, camera } = useView((view) => view.me);
  const isStarting = useView((view) => view.effects.camera.state === "starting");
  return (
    <div className={styles.preview}>
      {!camera.on && <p>{isStarting ? <Trans>Starting your background…</Trans> : <Trans>Your camera is off</Trans>}</p>}
      <Video stream={camera.on ? picture : null} label={t`Your camera`} hidden={!camera.on} mirrored muted />
      <div className={styles.toggles}>
        <MicrophoneToggle />
        <CameraToggle />
      </div>
    </div>
  );
}

function DeviceProblems() {
  const problems = useDeviceProblems();
  return (
    <output className={styles.problems}>
      {problems.length > 0 && (
        <>
          <AlertIcon />
          <div>
            {problems.map((problem) => (
              <p key={problem}>{problem}</p>
            ))}
            <p>
              <Trans>You can also join without.</Trans>
            </p>
          </div>
        </>
      )}
    </output>
  );
}

function JoinForm() {
  const { t } = useLingui();
  const actions = useActions();
  const joining = useView((view) => view.phase === "joining");
  const answer = useView((view) => (view.phase === "joining" ? view.answer : null));
  const waiting = answer === "waiting";
  const [name, setName] = useState(recallName);
  const input = useRef<HTMLInputElement>(null);

  // Enter joins at once. On a touch screen the focus would raise the keyboard over the preview.
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) input.current?.focus();
  }, []);

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (joining) return;
    rememberName(name);
    actions.join(name.trim() || t`Guest`);
  };

  return (
    <form className={styles.join} onSubmit={submit}>
      <h1>
        <Trans>Ready to join?</Trans>
      </h1>
      <label className={fields.field}>
        <Trans>Your name</Trans>
        <input
          ref={input}
          value={name}
          onChange={(event) => setName(event.target.value)}
          placeholder={t`Guest`}
          dir="auto"
          autoComplete="name"
          enterKeyHint="go"
          spellCheck={false}
        />
      </label>
      <output className={styles.waiting}>
        {answer === null && <CutName name={name} />}
        {waiting && <Trans>The host knows you’re waiting and can let you in.</Trans>}
        {answer === "turned-away" && <Trans>Someone with the link turned you away. Asking the others.</Trans>}
      </output>
      <div className={styles.actions}>
        <button type="submit" className={`${button.primary} ${button.large}`} aria-disabled={joining}>
          {waiting ? <Trans>Waiting…</Trans> : joining ? <Trans>Joining…</Trans> : <Trans>Join now</Trans>}
        </button>
        {joining && (
          <button type="button" className={`${button.quiet} ${button.large}`} onClick={() => actions.leave()}>
            <Trans>Cancel</Trans>
          </button>
        )}
      </div>
    </form>
  );
}
