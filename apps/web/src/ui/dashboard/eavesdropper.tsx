import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useEffect, useRef, useState } from "react";
import { type Eavesdropped, eavesdrop } from "../../session/measuring/eavesdropping.ts";
import type { Measurable } from "../../session/measuring/measurable.ts";
import button from "../button.module.css";
import styles from "./dashboard.module.css";
import { useShown } from "./figures-context.ts";
import { tracksOf } from "./subject.ts";

/** The picture as people see it, beside what someone on the way makes of it who has no key. */
export function EavesdropperView({ measurable }: { measurable: Measurable }) {
  const shown = useShown();
  const { live } = shown;
  const [on, setOn] = useState(false);
  const pictures = tracksOf(shown).filter(
    ({ source, subject }) => source !== "microphone" && live?.tracks.has(subject),
  );
  const subject = (pictures.find(({ direction }) => direction === "sent") ?? pictures[0])?.subject;
  const transform = subject === undefined ? undefined : live?.transforms.get(subject);
  const track = subject === undefined ? undefined : live?.tracks.get(subject);
  if (transform === undefined || track === undefined) return null;
  return (
    <div className={styles.eavesdropper}>
      <h4>
        <Trans>The eavesdropper’s view</Trans>
      </h4>
      <p className={styles.quiet}>
        <Trans>
          What an observer on the network sees who copies every frame and decodes it, beside the picture itself. It is
          computed here, while it is open.
        </Trans>
      </p>
      <button type="button" className={button.quiet} aria-pressed={on} onClick={() => setOn(!on)}>
        {on ? <Trans>Stop listening in</Trans> : <Trans>Listen in</Trans>}
      </button>
      {on && <Views key={`${transform} ${track.id}`} {...{ measurable, transform, track }} />}
    </div>
  );
}

interface ViewsProps {
  measurable: Measurable;
  transform: string;
  track: MediaStreamTrack;
}

function Views({ measurable, transform, track }: ViewsProps) {
  const { t } = useLingui();
  const video = useRef<HTMLVideoElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [heard, setHeard] = useState<Eavesdropped | null>(null);
  useEffect(() => {
    if (video.current) video.current.srcObject = new MediaStream([track]);
    const { width = 1280, height = 720 } = track.getSettings();
    const context = canvas.current?.getContext("bitmaprenderer");
    return eavesdrop(
      measurable,
      transform,
      { width, height },
      { picture: (picture) => context?.transferFromImageBitmap(picture), heard: setHeard },
    );
  }, [measurable, transform, track]);
  return (
    <>
      <div className={styles.views}>
        <figure>
          <figcaption>
            <Trans>The picture</Trans>
          </figcaption>
          <video ref={video} aria-label={t`The picture`} autoPlay playsInline muted />
        </figure>
        <figure>
          <figcaption>
            <Trans>What an eavesdropper sees</Trans>
          </figcaption>
          <canvas ref={canvas} role="img" aria-label={t`What an eavesdropper sees`} />
        </figure>
      </div>
      {heard !== null && <Overheard heard={heard} />}
    </>
  );
}

function Overheard({ heard: { frames, readable, pictures, failures } }: { heard: Eavesdropped }) {
  return (
    <p className={styles.quiet} data-testid="overheard">
      <Trans>
        <Plural value={frames} one="# frame" other="# frames" /> copied, {readable} of them readable. A decoder made{" "}
        <Plural value={pictures} one="# picture" other="# pictures" /> of them and gave up{" "}
        <Plural value={failures} one="once" other="# times" />.
      </Trans>
    </p>
  );
}
