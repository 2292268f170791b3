import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { type RefObject, useEffect, useRef, useState } from "react";
import { Playback, type PlaybackFailure } from "../../session/vault/playback.ts";
import type { ShownEntry } from "../../session/vault/view.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Problem } from "./failure.tsx";
import styles from "./play.module.css";
import { useVaultActions } from "./vault-context.ts";

const instead = {
  tampered: msg`Playback stopped: a part of this file was changed or damaged after it was sealed. Nothing of that part is shown.`,
};

/** Shows an image, a sound or a video. */
export function PlayDialog({ entry, onClose }: { entry: ShownEntry; onClose: () => void }) {
  const actions = useVaultActions();
  const element = useRef<HTMLImageElement & HTMLVideoElement>(null);
  const [failure, setFailure] = useState<PlaybackFailure | null>(null);
  const { id } = entry;
  useEffect(() => {
    if (element.current === null) return;
    const playback = new Playback(() => actions.open(id), element.current, setFailure);
    return () => playback.close();
  }, [actions, id]);
  return (
    <Dialog title={entry.title} onClose={onClose}>
      <div className={styles.player}>
        {failure === null && <Media entry={entry} element={element} />}
        <Problem failure={failure} instead={instead} />
      </div>
    </Dialog>
  );
}

function Media({
  entry: { kind, title },
  element,
}: {
  entry: ShownEntry;
  element: RefObject<(HTMLImageElement & HTMLVideoElement) | null>;
}) {
  const { t } = useLingui();
  if (kind.startsWith("image/")) return <img ref={element} alt={title} />;
  const name = t({ message: "Recording", context: "file" });
  if (kind.startsWith("audio/"))
    // biome-ignore lint/a11y/useMediaCaption: sounds come as they are
    return <audio ref={element} aria-label={name} controls autoPlay />;
  if (kind.startsWith("video/"))
    // biome-ignore lint/a11y/useMediaCaption: recordings have none
    return <video ref={element} aria-label={name} controls autoPlay playsInline />;
  return (
    <p>
      <Trans>This is not an image, a sound or a video. Export it to open it elsewhere.</Trans>
    </p>
  );
}
