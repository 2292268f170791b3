import { msg } from "@lingui/core/macro";
import type { Problem } from "../../session/call/call-view.ts";
import { commonEndings, Ending, type EndingWords, linkDamaged, restoreAddress, retry } from "../ending.tsx";
import { useActions, useView } from "./call-context.ts";
import type { Comeback } from "./comeback.ts";
import { SaveChat } from "./talk/save-chat.tsx";

const rejoin = msg`Rejoin`;

const endings: Record<Problem | "left", EndingWords> = {
  ...commonEndings,
  left: { title: msg`You left the call`, text: msg`Your camera and microphone are off.`, again: rejoin },
  "link-damaged": linkDamaged,
  "browser-unsupported": {
    title: msg`This browser cannot seal a call`,
    text: msg`A current version of Chrome, Edge or Firefox can, on a page that came over https. Missing here:`,
    again: null,
  },
  "room-full": {
    title: msg`This call is full`,
    text: msg`Wait until someone leaves, then try again.`,
    again: retry,
  },
  elsewhere: {
    title: msg`The call goes on in another tab`,
    text: msg`A copy of this tab took your place in the call.`,
    again: rejoin,
  },
  "not-admitted": {
    title: msg`Nobody let you in`,
    text: msg`The people in this call don’t answer your link. It may have been replaced. Ask the person who invited you for the current one.`,
    again: retry,
  },
  "turned-away": {
    title: msg`You were not let in`,
    text: msg`Someone in the call says that a host turned you away, or that the call is locked. Ask the host before you try again.`,
    again: retry,
  },
  removed: {
    title: msg`You were removed from the call`,
    text: msg`The host removed you. With your link you can only ask to be let in again.`,
    again: msg`Ask to come back`,
  },
};

export function Ended({ again }: { again: (comeback: Comeback | null) => void }) {
  const actions = useActions();
  const name = useView((view) => view.name);
  const camera = useView((view) => view.me.camera.on);
  const microphone = useView((view) => view.me.microphone.on);
  const hidesRoom = useView((view) => view.effects.background !== "none");
  const problem = useView((view) => view.problem);
  const lacks = useView((view) => view.lacks);

  const reopen = () => {
    restoreAddress(actions.inviteLink());
    again(name === "" ? null : { name, devicesOn: { camera, microphone }, hidesRoom });
  };

  return (
    <Ending words={endings[problem ?? "left"]} lacks={lacks} again={reopen}>
      <SaveChat />
    </Ending>
  );
}
