import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useRef, useState } from "react";
import button from "../button.module.css";
import { DashboardButton } from "../dashboard/open.tsx";
import { DeviceSettings } from "../devices.tsx";
import { LeaveIcon } from "../icons.tsx";
import { usePageTitle } from "../page-title.ts";
import { CameraToggle, MicrophoneToggle } from "../toggle.tsx";
import { AccessStatus } from "./access.tsx";
import { Announcer } from "./announcer.tsx";
import { useActions, useMeasurable } from "./call-context.ts";
import { ConsentDialog, OwnRecording, RecordersNotice, RecordToggle } from "./consent.tsx";
import { EncryptionStatus } from "./encryption-status.tsx";
import { FileNews, Files } from "./files/files.tsx";
import { Invite } from "./invite.tsx";
import { KnockNotice } from "./knocks.tsx";
import { NameNotices } from "./name-notices.tsx";
import {
  ClosedNotice,
  DeviceNotice,
  FailingNotice,
  HealedNotice,
  OverloadedNotice,
  PausedNotice,
  SignallingNotice,
  SoundNotice,
  UnableNotice,
} from "./notices.tsx";
import { People } from "./people.tsx";
import { PolicyChoice } from "./policy.tsx";
import styles from "./room.module.css";
import { ScreenToggle } from "./screen-toggle.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import { Stage } from "./stage.tsx";
import { ChatNotice } from "./talk/chat-notice.tsx";
import { ChatPanel, ChatToggle } from "./talk/chat-toggle.tsx";
import { HandToggle } from "./talk/hands.tsx";
import { MuteNotice } from "./talk/mute-notice.tsx";
import { ReactionsButton } from "./talk/reactions.tsx";
import { TalkAnnouncer } from "./talk/talk-announcer.tsx";

export function Room() {
  const { t } = useLingui();
  const actions = useActions();
  const measurable = useMeasurable();
  const [silent, setSilent] = useState(false);
  const [dashboard, setDashboard] = useState<ReactNode>(null);
  usePageTitle(t`In a call – Sealcast`);

  // The lobby and what had the focus there are gone.
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  return (
    <main className={styles.room}>
      <h1 ref={heading} className={styles.title} tabIndex={-1}>
        <Trans>Call</Trans>
      </h1>
      <Announcer />
      <TalkAnnouncer />
      <div className={styles.notices}>
        <OwnRecording />
        <RecordersNotice />
        <SignallingNotice />
        <PausedNotice />
        <UnableNotice />
        <ClosedNotice />
        <OverloadedNotice />
        <FailingNotice />
        <NameNotices />
        <KnockNotice />
        <MuteNotice />
        <FileNews />
        <HealedNotice />
        <DeviceNotice />
        {silent && <SoundNotice onTurnOn={() => setSilent(false)} />}
      </div>
      <Stage silent={silent} onSilenced={() => setSilent(true)} />
      <ChatNotice />
      <div className={styles.status}>
        <EncryptionStatus />
        <AccessStatus />
      </div>
      <div className={styles.controls}>
        <MicrophoneToggle />
        <CameraToggle />
        <ScreenToggle />
        <ChatToggle />
        <ReactionsButton />
        <HandToggle />
        <RecordToggle />
        <DeviceSettings />
        <Files />
        <People />
        <DashboardButton measurable={measurable} policy={<PolicyChoice />} place={setDashboard} />
        <button type="button" className={`${button.danger} ${styles.leave}`} onClick={() => actions.leave()}>
          <LeaveIcon />
          <Trans>Leave call</Trans>
        </button>
      </div>
      <ConsentDialog />
      <Invite />
      <Shortcuts />
      <ChatPanel />
      {dashboard}
    </main>
  );
}
