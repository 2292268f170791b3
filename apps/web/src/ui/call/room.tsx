import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { EffectNotice } from "../effects/faults.tsx";
import { useFocusHeld } from "../focus-held.ts";
import { usePageTitle } from "../page-title.ts";
import { Announcer } from "./announcer.tsx";
import { Captioned } from "./captions.tsx";
import { ConsentDialog, OwnRecording, RecordersNotice } from "./consent.tsx";
import { Controls } from "./controls/controls.tsx";
import { EncryptionStatus } from "./encryption/encryption-status.tsx";
import { FileNews } from "./files/files.tsx";
import { LayoutProvider } from "./layout/layout-provider.tsx";
import { SharingNotice } from "./layout/sharing-notice.tsx";
import {
  ClosedNotice,
  DeviceNewsNotice,
  DeviceNotice,
  FailingNotice,
  HealedNotice,
  HereTwiceNotice,
  IncomingVideoNotice,
  OverloadedNotice,
  PausedNotice,
  RelayNotice,
  SignallingNotice,
  SoundNotice,
  UnableNotice,
  UnreachedNotice,
  VideoPausedNotice,
} from "./notices.tsx";
import { AccessStatus } from "./people/access.tsx";
import { Invite } from "./people/invite.tsx";
import { KnockNotice } from "./people/knocks.tsx";
import { NameNotices } from "./people/name-notices.tsx";
import styles from "./room.module.css";
import { Stage } from "./stage/stage.tsx";
import { ChatNotice } from "./talk/chat-notice.tsx";
import { ChatPanel } from "./talk/chat-toggle.tsx";
import { MuteNotice } from "./talk/mute-notice.tsx";
import { TalkAnnouncer } from "./talk/talk-announcer.tsx";

export default function Room() {
  return (
    <LayoutProvider>
      <InCall />
    </LayoutProvider>
  );
}

function InCall() {
  const { t } = useLingui();
  const [silent, setSilent] = useState(false);
  const [dashboard, setDashboard] = useState<ReactNode>(null);
  usePageTitle(t`In a call – Sealcast`);

  // What a notice asked is answered with it gone.
  const notices = useRef<HTMLDivElement>(null);
  useFocusHeld(notices);

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
      <div ref={notices} className={styles.notices} tabIndex={-1}>
        <SharingNotice />
        <OwnRecording />
        <RecordersNotice />
        <SignallingNotice />
        <UnreachedNotice />
        <RelayNotice />
        <PausedNotice />
        <VideoPausedNotice />
        <IncomingVideoNotice />
        <UnableNotice />
        <HereTwiceNotice />
        <ClosedNotice />
        <OverloadedNotice />
        <FailingNotice />
        <NameNotices />
        <KnockNotice />
        <MuteNotice />
        <FileNews />
        <HealedNotice />
        <DeviceNotice />
        <DeviceNewsNotice />
        <EffectNotice />
        {silent && <SoundNotice onTurnOn={() => setSilent(false)} />}
      </div>
      <Captioned>
        <Stage silent={silent} onSilenced={() => setSilent(true)} />
      </Captioned>
      <ChatNotice />
      <div className={styles.status}>
        <EncryptionStatus />
        <AccessStatus />
      </div>
      <Controls place={setDashboard} />
      <ConsentDialog />
      <Invite />
      <ChatPanel />
      {dashboard}
    </main>
  );
}
