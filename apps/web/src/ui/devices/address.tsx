import { Trans } from "@lingui/react/macro";
import option from "../parts/option.module.css";
import { recall, remember } from "../stored.ts";
import { useDeviceActions, useDevices } from "./devices-context.ts";

const storedKey = "sealcast.hide-address";

/** What was chosen in this browser the last time. */
export function recallHidesAddress(): boolean {
  return recall(storedKey) === "on";
}

/** Where there is a relay to hide behind; and where there is none any more, for who hides all the same. */
export function AddressChoice() {
  const actions = useDeviceActions();
  const hidesAddress = useDevices((view) => view.hidesAddress);
  const hasTurn = useDevices((view) => view.hasTurn);
  if (!hasTurn && !hidesAddress) return null;
  const choose = (on: boolean) => {
    remember(storedKey, on ? "on" : "off");
    actions.hideAddress(on);
  };
  return (
    <label className={option.option}>
      <input type="checkbox" checked={hidesAddress} onChange={(event) => choose(event.target.checked)} />
      <span>
        <Trans>Hide my address from others</Trans>
        <small>
          <Trans>
            Sends everything through this server’s relay, so that others do not learn your IP address. It can be slower.
            Choose it before you join: those who are connected to you already may know your address.
          </Trans>
        </small>
        <output>
          {!hasTurn && (
            <small>
              <Trans>This server has no relay, so no one can connect to you while your address is hidden.</Trans>
            </small>
          )}
        </output>
      </span>
    </label>
  );
}
