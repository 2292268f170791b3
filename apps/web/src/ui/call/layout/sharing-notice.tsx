import { Trans } from "@lingui/react/macro";
import { useMemo } from "react";
import button from "../../button.module.css";
import { Video } from "../../parts/video.tsx";
import { PersonNames } from "../../person-name.tsx";
import announcer from "../announcer.module.css";
import { useActions, useView } from "../call-context.ts";
import { useFocusLeftToMore } from "../controls/more.tsx";
import notices from "../notices.module.css";
import styles from "./sharing-notice.module.css";

/** Who shares a screen: this person in sight, with a way to stop, others in words for those who do not see the stage change. */
export function SharingNotice() {
  return (
    <>
      <OthersShare />
      <OwnShare />
    </>
  );
}

function OthersShare() {
  const people = useView((view) => view.people);
  const names = people.filter(({ screen }) => screen !== null).map(({ name }) => name);
  return (
    <output className={announcer.unseen}>
      {names.length > 0 && (
        <Trans>
          Sharing a screen: <PersonNames names={names} />.
        </Trans>
      )}
    </output>
  );
}

/** What others see of this person's screen, small, so that a shared screen does not show itself without end. */
function OwnShare() {
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
