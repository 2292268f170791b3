import { msg } from "@lingui/core/macro";
import type { ViewerProblem } from "../../session/live/watch-view.ts";
import {
  commonEndings,
  Ending,
  type EndingWords,
  linkDamaged,
  linkInvalid,
  restoreAddress,
  retry,
} from "../ending.tsx";
import { useWatch, useWatchActions } from "./live-context.ts";

const endings: Record<ViewerProblem, EndingWords> = {
  ...commonEndings,
  "link-damaged": linkDamaged,
  "link-outdated": {
    title: linkInvalid,
    text: msg`An earlier version of Sealcast made it. Ask the host for a new one.`,
    again: null,
  },
  "browser-unsupported": {
    title: msg`This browser cannot open a sealed stream`,
    text: msg`A current version of Chrome, Edge or Firefox can, on a page that came over https. Missing here:`,
    again: null,
  },
  "wrong-host": {
    title: msg`This is not the host of your link`,
    text: msg`Someone answered who has the link but not the key of the host that it names. Nothing from them was shown. Ask for a new link.`,
    again: retry,
  },
  removed: {
    title: msg`You were removed from the stream`,
    text: msg`The host has removed you. With your link you can only ask to be let in again.`,
    again: msg`Ask to come back`,
  },
  "turned-away": {
    title: msg`You were not let in`,
    text: msg`The host said no. Ask them before you try again.`,
    again: retry,
  },
};

export function WatchEnded({ again }: { again: () => void }) {
  const actions = useWatchActions();
  const problem = useWatch((view) => view.problem) ?? "server-unreachable";
  const lacks = useWatch((view) => view.lacks);

  const reopen = () => {
    restoreAddress(actions.watchLink());
    again();
  };

  return <Ending words={endings[problem]} lacks={lacks} again={reopen} />;
}
