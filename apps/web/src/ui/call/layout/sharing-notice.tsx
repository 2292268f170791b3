import { Trans } from "@lingui/react/macro";
import { useMemo } from "react";
import button from "../../button.module.css";
import { Video } from "../../video.tsx";
import { useActions, useView } from "../call-context.ts";
import { useFocusLeftToMore } from "../more.tsx";
import notices from "../notices.module.css";
import styles from "./sharing-notice.module.css";

/** What others see of this person's screen, small, so that a shared screen does not show itself without end. */
export function SharingNotice() {
  const actions = useActions();
  const track = useView((view) => view.me.shared);
  const stream = useMemo(() => (track === null ? null : new MediaStream([track])), [track]);
  useFocusLeftToMore(stream !== null);
  return (
    <output className={notices.notice}>
      {stream !== null && (
        <>
          <span className={styles.preview} aria-hidden="true">
            <Video stream={stream} hidden={false} mirrored={false} muted />
          </span>
          <Trans>You are sharing your screen.</Trans>
          <button type="button" className={button.quiet} onClick={() => actions.share(false)}>
            <Trans>Stop sharing</Trans>
          </button>
        </>
      )}
    </output>
  );
}
