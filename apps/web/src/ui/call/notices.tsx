import { Trans, useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Healing } from "../../session/audit/repair.ts";
import type { Breach } from "../../session/peer/media-peer.ts";
import type { Shortage } from "../../session/peer/video-flow.ts";
import button from "../button.module.css";
import { DeviceNewsWords, useDeviceProblems } from "../devices/devices.tsx";
import { AlarmWords, useReceiver } from "../encryption/encryption-details.tsx";
import { useForAWhile } from "../for-a-while.ts";
import { Overloaded } from "../overloaded.tsx";
import { CloseIcon } from "../parts/icons.tsx";
import { PersonNames } from "../person-name.tsx";
import { UnreachedHelp } from "../unreached-help.tsx";
import { useActions, useView } from "./call-context.ts";
import styles from "./notices.module.css";

export function SignallingNotice() {
  const lost = useView((view) => view.signalling === "reconnecting");
  const people = useView((view) => view.people);
  // Nobody is reached, and the server is not: that is no matter of the server.
  const isAlone = people.length > 0 && people.every(({ connection }) => connection === "reconnecting");
  return (
    <output className={styles.notice}>
      {lost && !isAlone && <Trans>Reconnecting to the server. Your call goes on.</Trans>}
      {lost && isAlone && <Trans>Your network is gone. Your call goes on by itself when it is back.</Trans>}
    </output>
  );
}

export function FailingNotice() {
  const actions = useActions();
  const [alarm] = useView((view) => view.alarms);
  const causes = useView((view) => view.encryption.causes);
  const receiver = useReceiver();
  const who = [...new Set(causes.map((cause) => receiver(cause.who)))];
  return (
    <p role="alert" className={styles.notice} data-tone="bad">
      {(alarm !== undefined || who.length > 0) && (
        <>
          <span>
            {alarm === undefined ? (
              <Trans>
                Encryption with <PersonNames names={who} /> is failing. The encryption details say why.
              </Trans>
            ) : (
              <AlarmWords alarm={alarm} />
            )}
          </span>
          <button type="button" className={button.quiet} onClick={() => actions.repair()}>
            <Trans>Repair</Trans>
          </button>
        </>
      )}
    </p>
  );
}

export function OverloadedNotice() {
  const overloaded = useView((view) => view.overloaded);
  const step = useView((view) => view.overloadStep);
  return (
    <output className={styles.notice} data-tone="caution">
      {(overloaded || step > 0) && <Overloaded step={step} />}
    </output>
  );
}

/** No connection comes about, and what would help. */
export function UnreachedNotice() {
  const who = useView((view) => view.unreached);
  const hidesAddress = useView((view) => view.hidesAddress);
  const hasTurn = useView((view) => view.hasTurn);
  return (
    <output className={styles.notice} data-tone="caution">
      {who.length > 0 && (
        <span>
          <Trans>
            No connection to <PersonNames names={who} /> was found.
          </Trans>{" "}
          <UnreachedHelp {...{ hidesAddress, hasTurn }} />
        </span>
      )}
    </output>
  );
}

/** A large call goes on without its relay, as well as connections carry it. */
export function RelayNotice() {
  const isFailed = useView((view) => view.relay === "failed");
  return (
    <output className={styles.notice} data-tone="caution">
      {isFailed && (
        <Trans>
          The relay for large calls is not reached. Sound and video go to each person directly, which may be too much
          for your connection.
        </Trans>
      )}
    </output>
  );
}

/** Sound goes on where the way is too slow for any picture. */
export function PausedNotice() {
  const who = useView((view) => view.paused);
  return (
    <output className={styles.notice} data-tone="caution">
      {who.length > 0 && (
        <span>
          <Trans>
            Your video to <PersonNames names={who} /> is paused because the connection is slow. They can still hear you.
          </Trans>
        </span>
      )}
    </output>
  );
}

/** Whose video does not come since it gives way to their sound, and why. */
export function VideoPausedNotice() {
  const people = useView((view) => view.people);
  const pausedFor = (why: Shortage) => people.filter((one) => one.videoPaused === why).map(({ name }) => name);
  const [connection, computer] = [pausedFor("connection"), pausedFor("computer")];
  return (
    <>
      <output className={styles.notice} data-tone="caution">
        {connection.length > 0 && (
          <span>
            <Trans>
              The video of <PersonNames names={connection} /> is paused because the connection is slow. You still hear
              them.
            </Trans>
          </span>
        )}
      </output>
      <output className={styles.notice} data-tone="caution">
        {computer.length > 0 && (
          <span>
            <Trans>
              The video of <PersonNames names={computer} /> is paused because their computer is overloaded. You still
              hear them.
            </Trans>
          </span>
        )}
      </output>
    </>
  );
}

export function IncomingVideoNotice() {
  const { setIncomingVideo } = useActions();
  const isOn = useView((view) => view.incomingVideo);
  return (
    <output className={styles.notice}>
      {!isOn && (
        <>
          <Trans>Incoming video is off.</Trans>
          <button type="button" className={button.quiet} onClick={() => setIncomingVideo(true)}>
            <Trans>Turn on</Trans>
          </button>
        </>
      )}
    </output>
  );
}

/** Each tab plays what the other one's microphone hears. */
export function HereTwiceNotice() {
  const hereTwice = useView((view) => view.hereTwice);
  return (
    <output className={styles.notice} data-tone="caution">
      {hereTwice && <Trans>You are in this call in another tab as well, which can echo. Leave in one of them.</Trans>}
    </output>
  );
}

export function UnableNotice() {
  const who = useView((view) => view.unable);
  return (
    <output className={styles.notice} data-tone="caution">
      {who.length > 0 && (
        <span>
          <Trans>
            Your video does not go to <PersonNames names={who} />: their browser has none of the usual codecs.
          </Trans>
        </span>
      )}
    </output>
  );
}

/** Whose app did what no app does lost the connection to this page, and nobody else did. */
export function ClosedNotice() {
  const people = useView((view) => view.people);
  const closedFor = (breach: Breach) => people.filter((person) => person.breach === breach).map(({ name }) => name);
  const [flood, malformed] = [closedFor("flood"), closedFor("malformed")];
  return (
    <>
      <output className={styles.notice} data-tone="caution">
        {flood.length > 0 && (
          <span>
            <Trans>
              The connection to <PersonNames names={flood} /> was closed: their app sends too much.
            </Trans>
          </span>
        )}
      </output>
      <output className={styles.notice} data-tone="caution">
        {malformed.length > 0 && (
          <span>
            <Trans>
              The connection to <PersonNames names={malformed} /> was closed: their app sends what no Sealcast app does.
            </Trans>
          </span>
        )}
      </output>
    </>
  );
}

/** Something broke and is mended: said once, in a word, and gone. */
export function HealedNotice() {
  const shown = useForAWhile(useView((view) => view.healed));
  return (
    <output className={styles.notice}>
      {shown !== null && (
        <span>
          <Healed {...shown} />
        </span>
      )}
    </output>
  );
}

function Healed({ what, who }: Healing) {
  switch (what) {
    case "worker":
      return <Trans>A part of the page that seals frames had stopped. It was replaced.</Trans>;
    case "track":
      return (
        <Trans>
          Nothing passed between you and <bdi>{who}</bdi>. The connection was restarted.
        </Trans>
      );
    case "picture":
      return (
        <Trans>
          The picture of <bdi>{who}</bdi> had frozen. A new one was asked for.
        </Trans>
      );
    case "keys":
      return (
        <Trans>
          The keys between you and <bdi>{who}</bdi> did not fit. Everybody got new ones.
        </Trans>
      );
  }
}

/** What the lobby already said is not said again, unless it happens again. */
export function DeviceNotice() {
  const { t } = useLingui();
  const camera = useView((view) => view.me.camera);
  const microphone = useView((view) => view.me.microphone);
  const problems = useDeviceProblems();
  const [known, setKnown] = useState([camera, microphone]);
  const news = [camera, microphone].some((device) => device.problem !== null && !known.includes(device));
  return (
    <output className={styles.notice} data-tone="caution">
      {news && (
        <>
          {problems.join(" ")}
          <button
            type="button"
            className={button.round}
            aria-label={t`Dismiss`}
            onClick={() => setKnown([camera, microphone])}
          >
            <CloseIcon />
          </button>
        </>
      )}
    </output>
  );
}

/** A device was replaced, or is back: said for a while. */
export function DeviceNewsNotice() {
  const news = useView((view) => view.deviceNews);
  const shown = useForAWhile(news);
  return <output className={styles.notice}>{shown !== null && <DeviceNewsWords {...shown} />}</output>;
}

export function SoundNotice({ onTurnOn }: { onTurnOn: () => void }) {
  return (
    <p className={styles.notice}>
      <Trans>The browser holds the sound back until you ask for it.</Trans>
      <button type="button" className={button.primary} onClick={onTurnOn}>
        <Trans>Turn sound on</Trans>
      </button>
    </p>
  );
}
