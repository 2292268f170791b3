import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { EffectFault } from "../../session/devices/effects-view.ts";
import button from "../button.module.css";
import { CloseIcon } from "../parts/icons.tsx";
import { NoiseFault } from "./cost.tsx";

/** Why the microphone is without noise suppression. */
export default function MicrophoneFault({ fault }: { fault: EffectFault }) {
  const { t } = useLingui();
  const [isKnown, setKnown] = useState(false);
  if (isKnown) return null;
  return (
    <>
      <span>
        <NoiseFault fault={fault} />
      </span>
      <button type="button" className={button.round} aria-label={t`Dismiss`} onClick={() => setKnown(true)}>
        <CloseIcon />
      </button>
    </>
  );
}
