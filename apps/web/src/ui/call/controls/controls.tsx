import { type ReactNode, useId, useRef, useState } from "react";
import { DashboardButton } from "../../dashboard-button.tsx";
import { DeviceSettings } from "../../devices/devices.tsx";
import { CameraToggle, MicrophoneToggle } from "../../devices/toggle.tsx";
import { useNarrower } from "../../narrower.ts";
import { useMeasurable, useView } from "../call-context.ts";
import { CaptionsButton } from "../captions.tsx";
import { RecordToggle } from "../consent.tsx";
import { PolicyChoice } from "../encryption/policy.tsx";
import { Files } from "../files/files.tsx";
import { LayoutChoice } from "../layout/layout-choice.tsx";
import { PictureInPicture } from "../layout/picture-in-picture.tsx";
import { PeopleButton, PeopleDialog } from "../people/people.tsx";
import { ChatToggle } from "../talk/chat-toggle.tsx";
import { HandToggle } from "../talk/hands.tsx";
import { ReactionsButton, ReactionsChoice } from "../talk/reactions.tsx";
import styles from "./controls.module.css";
import { LeaveButton } from "./leave-button.tsx";
import { More, useFocusLeftToMore } from "./more.tsx";
import { Quality } from "./quality.tsx";
import { ScreenToggle } from "./screen-toggle.tsx";
import { Shortcuts } from "./shortcuts.tsx";

/** CSS pixels: in a bar that is narrower, six buttons of 44 px stand in a row, and in a wider one all nine. */
const CRAMPED = 444;

/**
 * What people reach for while they talk stands in the bar; the rest is in "More". Where the bar is too narrow for all,
 * more goes there. What a button opened that moves stands beside them, and stays. `place` says where the dashboard is to be.
 */
export function Controls({ place }: { place: (dashboard: ReactNode) => void }) {
  const measurable = useMeasurable();
  const isRecording = useView(({ recording }) => recording.state !== "none");
  useFocusLeftToMore(isRecording);
  const bar = useRef<HTMLDivElement>(null);
  const isCramped = useNarrower(bar, CRAMPED);
  useFocusLeftToMore(!isCramped);
  const [isPeopleOpen, setPeopleOpen] = useState(false);
  useFocusLeftToMore(isPeopleOpen);
  const reactions = useId();
  const people = <PeopleButton onOpen={() => setPeopleOpen(true)} />;
  return (
    <div ref={bar} className={styles.controls}>
      <MicrophoneToggle />
      <CameraToggle />
      {!isCramped && <ScreenToggle />}
      <ChatToggle />
      {!isCramped && <ReactionsButton choice={reactions} />}
      <HandToggle />
      {!isCramped && people}
      {isRecording && <RecordToggle />}
      <More>
        <LayoutChoice />
        <PictureInPicture />
        {isCramped && (
          <>
            {people}
            <ReactionsButton choice={reactions} />
            <ScreenToggle />
          </>
        )}
        <CaptionsButton />
        <Files />
        {!isRecording && <RecordToggle />}
        <DeviceSettings />
        <Quality />
        <DashboardButton measurable={measurable} policy={<PolicyChoice />} place={place} />
        <Shortcuts />
      </More>
      <LeaveButton className={styles.leave} />
      <ReactionsChoice id={reactions} />
      {isPeopleOpen && <PeopleDialog onClose={() => setPeopleOpen(false)} />}
    </div>
  );
}
