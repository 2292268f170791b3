import { Trans } from "@lingui/react/macro";

/** What helps where no connection comes about. */
export function UnreachedHelp({ hidesAddress, hasTurn }: { hidesAddress: boolean; hasTurn: boolean }) {
  if (hasTurn)
    return (
      <Trans>
        Even this server’s relay was not reached, here or there: a network blocks it. Another network may help, such as
        a phone’s.
      </Trans>
    );
  if (hidesAddress)
    return (
      <Trans>
        Your address is hidden, and this server has no relay. Show your address under Devices, or ask the people who run
        the server for a relay (TURN).
      </Trans>
    );
  return (
    <Trans>
      A network blocks direct connections, and this server has no relay. Another network may help, such as a phone’s, or
      ask the people who run the server for a relay (TURN).
    </Trans>
  );
}
