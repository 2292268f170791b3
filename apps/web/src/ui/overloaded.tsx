import { Trans } from "@lingui/react/macro";

export function Overloaded() {
  return <Trans>This computer is overloaded: video is being skipped.</Trans>;
}
