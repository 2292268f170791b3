import { msg } from "@lingui/core/macro";
import type { HostProblem } from "../../session/live/host-view.ts";
import { commonEndings, Ending, type EndingWords } from "../ending.tsx";
import { useHost } from "./live-context.ts";

const endings: Record<HostProblem | "ended", EndingWords> = {
  ...commonEndings,
  ended: {
    title: msg`The stream has ended`,
    text: msg`Your camera and microphone are off. Viewers who stay on their page see you again when you go live with the same link.`,
    again: msg`Go live again`,
  },
  "browser-unsupported": {
    title: msg`This browser cannot seal a stream`,
    text: msg`A current version of Chrome, Edge or Firefox can, on a page that came over https. Missing here:`,
    again: null,
  },
  "not-host": {
    title: msg`This is not your stream`,
    text: msg`Only the browser that made this stream can go live at this address. To go live yourself, begin at the start. To watch, ask for the viewers’ link.`,
    again: null,
  },
  elsewhere: {
    title: msg`You are live in another tab`,
    text: msg`Another tab of this browser has taken over the stream.`,
    again: msg`Go live here`,
  },
};

export function HostEnded({ again }: { again: () => void }) {
  const problem = useHost((view) => view.problem);
  const lacks = useHost((view) => view.lacks);
  return <Ending words={endings[problem ?? "ended"]} lacks={lacks} again={again} />;
}
