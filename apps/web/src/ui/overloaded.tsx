import { Trans } from "@lingui/react/macro";
import type { OverloadStep } from "../session/audit/overload-steps.ts";

/** What an overloaded computer gives up, and that this is why. */
export function Overloaded({ step = 0 }: { step?: OverloadStep }) {
  switch (step) {
    case 0:
      return <Trans>This computer is overloaded: video is being skipped.</Trans>;
    case 1:
    case 2:
      return <Trans>This computer is overloaded: your video is smaller for now.</Trans>;
    case 3:
      return <Trans>This computer is overloaded: your video is paused for now. Others still hear you.</Trans>;
  }
}
