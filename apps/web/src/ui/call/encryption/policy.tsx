import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import type { Policy } from "../../../session/call/call-view.ts";
import option from "../../parts/option.module.css";
import { useActions, useView } from "../call-context.ts";
import styles from "./policy.module.css";

const FIRST_SHARE: Policy = { mode: "rate", percent: 75, keyFrames: true };

/** How much of one's own picture is sealed. Anything but everything is a choice with its price beside it. */
export function PolicyChoice() {
  const policy = useView((view) => view.policy);
  const actions = useActions();
  return (
    <fieldset className={styles.policy}>
      <legend>
        <Trans>How much of your video is encrypted</Trans>
      </legend>
      <Choice is={policy} choose={{ mode: "everything" }}>
        <Trans>Everything</Trans>
        <small>
          <Trans>On the way, nobody sees anything.</Trans>
        </small>
      </Choice>
      <Choice is={policy} choose={FIRST_SHARE}>
        <Trans>Some frames</Trans>
        <small>
          <Trans>On the way, anybody can see what moves in the frames that are left out. Saves next to nothing.</Trans>
        </small>
      </Choice>
      {policy.mode === "rate" && <Share policy={policy} onChange={(to) => actions.choosePolicy(to)} />}
      <Choice is={policy} choose={{ mode: "key-frames" }}>
        <Trans>Key frames only</Trans>
        <small>
          <Trans>On the way, anybody can see the outlines of people who move. Saves next to nothing.</Trans>
        </small>
      </Choice>
      <p className={styles.sound}>
        <Trans>Sound is always sealed. What is left out can be read, but not altered or forged.</Trans>
      </p>
    </fieldset>
  );
}

function Choice({ is, choose, children }: { is: Policy; choose: Policy; children: ReactNode }) {
  const actions = useActions();
  return (
    <label className={option.option}>
      <input
        type="radio"
        name="policy"
        checked={is.mode === choose.mode}
        onChange={() => actions.choosePolicy(choose)}
      />
      <span>{children}</span>
    </label>
  );
}

type Rate = Extract<Policy, { mode: "rate" }>;

function Share({ policy, onChange }: { policy: Rate; onChange: (policy: Rate) => void }) {
  const { i18n } = useLingui();
  const { percent, keyFrames } = policy;
  return (
    <div className={styles.share}>
      <label>
        <Trans>Share of frames that are sealed</Trans>
        <input
          type="range"
          min={0}
          max={100}
          step={5}
          value={percent}
          aria-valuetext={i18n.number(percent / 100, { style: "percent" })}
          onChange={(event) => onChange({ ...policy, percent: event.target.valueAsNumber })}
        />
        <output>{i18n.number(percent / 100, { style: "percent" })}</output>
      </label>
      <label className={option.option}>
        <input
          type="checkbox"
          checked={keyFrames}
          onChange={(event) => onChange({ ...policy, keyFrames: event.target.checked })}
        />
        <span>
          <Trans>Seal every key frame</Trans>
          <small>
            <Trans>Without this, whole pictures can be seen.</Trans>
          </small>
        </span>
      </label>
    </div>
  );
}
