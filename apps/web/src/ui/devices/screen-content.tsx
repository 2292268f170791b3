import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { type ScreenContent, USUAL_RATE } from "../../session/devices/shared-screen.ts";
import option from "../parts/option.module.css";
import { useDeviceActions, useDevices } from "./devices-context.ts";

/** What of a shared screen matters where not all of it gets through, in a call as in a live stream. */
export function ScreenContentChoice() {
  return (
    <>
      <Content of="text">
        <Trans>Text</Trans>
        <small>
          <Trans>Sharp, so that it can be read. On a slow connection, fewer frames are sent.</Trans>
        </small>
      </Content>
      <Content of="motion">
        <Trans>Motion</Trans>
        <small>
          <Trans>Smooth, for films and animations. On a slow connection, it gets less sharp.</Trans>
        </small>
      </Content>
    </>
  );
}

function Content({ of, children }: { of: ScreenContent; children: ReactNode }) {
  const { chooseScreen } = useDeviceActions();
  const choice = useDevices((view) => view.screenChoice);
  return (
    <label className={option.option}>
      <input
        type="radio"
        name="content"
        checked={choice.content === of}
        onChange={() => chooseScreen({ ...choice, content: of, framesPerSecond: USUAL_RATE[of] })}
      />
      <span>{children}</span>
    </label>
  );
}
