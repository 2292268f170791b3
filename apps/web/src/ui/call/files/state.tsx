import { Trans } from "@lingui/react/macro";
import type { FilePerson } from "../../../session/files/view.ts";
import { useSize } from "../../vault/size.ts";

interface StateProps {
  person: FilePerson;
  size: number;
  isSent: boolean;
}

/** How a file stands with one person, in a word. */
export function StateWord({ person: { state, bytes }, size, isSent }: StateProps) {
  const sizeOf = useSize();
  switch (state) {
    case "offered":
      return isSent && <Trans>Waiting for an answer</Trans>;
    case "going":
      return (
        <Trans>
          {sizeOf(bytes)} of {sizeOf(size)}
        </Trans>
      );
    case "waiting":
      return <Trans>The connection is lost. It goes on when that is back.</Trans>;
    case "paused-here":
      return <Trans>Paused</Trans>;
    case "paused-there":
      return <Trans>Paused by them</Trans>;
    case "done":
      return isSent ? <Trans>Received</Trans> : <Trans>Saved</Trans>;
    default:
      return <EndWord state={state} isSent={isSent} />;
  }
}

type Ended = Exclude<FilePerson["state"], "offered" | "going" | "waiting" | "paused-here" | "paused-there" | "done">;

/** Why nothing comes of it any more. */
function EndWord({ state, isSent }: { state: Ended; isSent: boolean }) {
  switch (state) {
    case "declined":
      return <Trans>Declined</Trans>;
    case "cancelled-here":
      return <Trans>Cancelled</Trans>;
    case "cancelled-there":
      return <Trans>Cancelled by them</Trans>;
    case "changed":
      return isSent ? (
        <Trans>Stopped: the file has changed, or cannot be read any more. Send it again.</Trans>
      ) : (
        <Trans>Stopped: the file has changed on their device. Ask for it again.</Trans>
      );
    case "damaged":
      return <Trans>Stopped: a part of it was damaged.</Trans>;
    case "full":
      return isSent ? (
        <Trans>Stopped: there is no space left on their device.</Trans>
      ) : (
        <Trans>Stopped: there is no space left on this device.</Trans>
      );
    case "unwritable":
      return isSent ? <Trans>Stopped: they cannot save it.</Trans> : <Trans>Stopped: it cannot be saved there.</Trans>;
    case "stopped":
      return <Trans>Stopped: something went wrong. Send it again.</Trans>;
    case "left":
      return <Trans>Stopped: they are not connected any more.</Trans>;
  }
}
