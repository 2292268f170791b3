import { Trans } from "@lingui/react/macro";
import { useDeviceActions, useDevices } from "./devices/devices-context.ts";
import option from "./parts/option.module.css";
import { recall, remember } from "./stored.ts";

const storedKey = "sealcast.hide-speech";

/** What was chosen in this browser the last time. */
export function recallHidesSpeech(): boolean {
  return recall(storedKey) === "on";
}

export function SpeechChoice() {
  const actions = useDeviceActions();
  const hidesSpeech = useDevices((view) => view.hidesSpeech);
  const speechShows = useDevices((view) => view.speechShows);
  const choose = (on: boolean) => {
    remember(storedKey, on ? "on" : "off");
    actions.hideSpeech(on);
  };
  return (
    <label className={option.option}>
      <input type="checkbox" checked={hidesSpeech} onChange={(event) => choose(event.target.checked)} />
      <span>
        <Trans>Hide speech patterns</Trans>
        <small>
          <Trans>
            Sends your sound at a constant bitrate, so that nobody who watches the network can guess words from the
            sizes of packets.
          </Trans>
        </small>
        <output>
          {speechShows && (
            <small>
              <Trans>This browser does not do it: sizes still change.</Trans>
            </small>
          )}
        </output>
      </span>
    </label>
  );
}
