import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { Scanned } from "../../../session/call/known-peers.ts";
import type { Person } from "../../../session/call/person.ts";
import { loadQrReader } from "../../../session/call/qr-reader.ts";
import type { Captured } from "../../../session/devices/local.ts";
import button from "../../button.module.css";
import fields from "../../parts/fields.module.css";
import { AlertIcon, VerifiedIcon } from "../../parts/icons.tsx";
import { useActions, useView } from "../call-context.ts";
import styles from "./scan.module.css";

/** Looking takes a part of each such span from the page's thread. */
const LOOK_EVERY_MS = 150;

/** Compares by camera: looks for the code on someone's screen until it is found. */
export function Scan({ person: { id, name } }: { person: Person }) {
  const actions = useActions();
  const [scanned, setScanned] = useState<Scanned | null>(null);
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown differs in size
  useEffect(() => {
    // Newer browsers return a promise, which is no clean-up.
    void place.current?.scrollIntoView({ block: "nearest" });
  }, [scanned]);
  return (
    <div ref={place} className={styles.scan}>
      {scanned === "same" ? (
        <Same name={name} />
      ) : scanned === "different" ? (
        <Different name={name} onAgain={() => setScanned(null)} />
      ) : (
        <Viewfinder name={name} scanned={scanned} onFound={(text) => setScanned(actions.scanned(id, text))} />
      )}
    </div>
  );
}

function Same({ name }: { name: string }) {
  return (
    <div role="alert" className={styles.same}>
      <VerifiedIcon />
      <p>
        <strong>
          <Trans>The codes are the same.</Trans>
        </strong>{" "}
        <Trans>
          Nobody sits between you and <bdi>{name}</bdi>. They are marked as verified now, on this device and for later
          calls.
        </Trans>
      </p>
    </div>
  );
}

function Different({ name, onAgain }: { name: string; onAgain: () => void }) {
  return (
    <div role="alert" className={styles.different}>
      <AlertIcon />
      <div>
        <p>
          <strong>
            <Trans>The codes are different.</Trans>
          </strong>
        </p>
        <p>
          <Trans>
            Was it the code under your own name, on the screen of <bdi>{name}</bdi>? If not, scan that one.
          </Trans>
        </p>
        <p>
          <Trans>
            If it was, someone may be listening in, or this is not <bdi>{name}</bdi>. Say nothing private, leave the
            call, and tell <bdi>{name}</bdi> in another way.
          </Trans>
        </p>
        <button type="button" className={button.quiet} onClick={onAgain}>
          <Trans>Scan again</Trans>
        </button>
      </div>
    </div>
  );
}

interface ViewfinderProps {
  name: string;
  /** What the last code that was found is, if it could not be compared. */
  scanned: Scanned | null;
  onFound: (text: string) => void;
}

function Viewfinder({ name, scanned, onFound }: ViewfinderProps) {
  const { t } = useLingui();
  const [wanted, setWanted] = useState("");
  const lent = useLentCamera(wanted);
  const video = useRef<HTMLVideoElement>(null);
  const unloaded = useReading(video, lent, onFound);
  const track = lent?.ok ? lent.track : null;
  return (
    <div className={styles.viewfinder}>
      <div className={styles.picture} hidden={lent?.ok === false}>
        <video
          ref={video}
          aria-label={t`What the camera sees`}
          data-mirrored={track?.getSettings().facingMode !== "environment"}
          muted
          autoPlay
          playsInline
          disablePictureInPicture
        />
      </div>
      <p role="status">
        <Guidance name={name} lent={lent} scanned={scanned} unloaded={unloaded} />
      </p>
      <CameraChoice chosen={wanted || (track?.getSettings().deviceId ?? "")} onChoose={setWanted} />
    </div>
  );
}

const problems: Record<Extract<Captured, { ok: false }>["problem"], MessageDescriptor> = {
  denied: msg`The camera is blocked. Allow it beside the page's address, then scan again. You can also read the code aloud.`,
  missing: msg`No camera was found. Read the code aloud instead.`,
  busy: msg`This camera did not open. Another program may use it, or your own picture in this call: some phones open one camera at a time. Turn that off, then scan again.`,
};

interface GuidanceProps {
  name: string;
  lent: Captured | null;
  scanned: Scanned | null;
  unloaded: boolean;
}

function Guidance({ name, lent, scanned, unloaded }: GuidanceProps) {
  const { i18n } = useLingui();
  if (unloaded) return <Trans>The scanner could not be loaded. Check your connection, or read the code aloud.</Trans>;
  if (lent === null) return <Trans>Opening the camera…</Trans>;
  if (!lent.ok) return i18n._(problems[lent.problem]);
  if (scanned === "foreign")
    return (
      <Trans>
        That is another kind of QR code. <bdi>{name}</bdi> finds the right one in this call: “People”, under your name.
      </Trans>
    );
  if (scanned === "other-version")
    return (
      <Trans>That code is of another version of Sealcast. Reload the page on both devices, then scan again.</Trans>
    );
  return (
    <Trans>
      <bdi>{name}</bdi> opens “People” in this call. Point your camera at the QR code under your name there.
    </Trans>
  );
}

function CameraChoice({ chosen, onChoose }: { chosen: string; onChoose: (deviceId: string) => void }) {
  const { t } = useLingui();
  const cameras = useView((view) => view.devices.cameras);
  if (cameras.length < 2) return null;
  return (
    <label className={fields.field}>
      <Trans>Camera to scan with</Trans>
      <select value={chosen} onChange={(event) => onChoose(event.target.value)}>
        {cameras.map(({ deviceId, label }, index) => (
          <option key={deviceId} value={deviceId}>
            {label || `${t`Camera`} ${index + 1}`}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The camera to scan with: null while it opens, released when another is wanted and when the scan is over. */
function useLentCamera(deviceId: string): Captured | null {
  const actions = useActions();
  const [lent, setLent] = useState<Captured | null>(null);
  useEffect(() => {
    let over = false;
    const opening = actions.lendCamera(deviceId);
    void opening.then((captured) => {
      if (over) return;
      setLent(captured);
      if (captured.ok)
        captured.track.addEventListener("ended", () => over || setLent({ ok: false, problem: "missing" }));
    });
    return () => {
      over = true;
      setLent(null);
      void opening.then((captured) => captured.ok && captured.track.stop());
    };
  }, [actions, deviceId]);
  return lent;
}

/** Shows the camera in the video and hands on what codes say that it sees. True when the decoder could not be loaded. */
function useReading(
  video: React.RefObject<HTMLVideoElement | null>,
  lent: Captured | null,
  onFound: (text: string) => void,
): boolean {
  const [unloaded, setUnloaded] = useState(false);
  const found = useEffectEvent(onFound);
  useEffect(() => {
    const shown = video.current;
    if (shown === null || !lent?.ok) return;
    let looking: ReturnType<typeof setInterval> | undefined;
    let over = false;
    shown.srcObject = new MediaStream([lent.track]);
    loadQrReader().then(
      (read) => {
        if (over) return;
        looking = setInterval(() => {
          const text = read(shown);
          if (text !== null) found(text);
        }, LOOK_EVERY_MS);
      },
      () => setUnloaded(true),
    );
    return () => {
      over = true;
      clearInterval(looking);
      shown.srcObject = null;
    };
  }, [video, lent]);
  return unloaded;
}
