import { lazy, Suspense } from "react";
import styles from "../call/notices.module.css";
import { useDevices } from "../devices/devices-context.ts";
import { withWords } from "../language/language.ts";
import { effectsWords } from "./words-catalog.ts";

const CameraFault = lazy(() => withWords(effectsWords, import("./camera-fault.tsx")));
const MicrophoneFault = lazy(() => withWords(effectsWords, import("./microphone-fault.tsx")));

/** Said where an effect has ended by itself. */
export function EffectNotice() {
  const camera = useDevices(({ effects }) => effects.camera.fault);
  const microphone = useDevices(({ effects }) => effects.microphone.fault);
  return (
    <>
      <output className={styles.notice} data-tone="caution">
        {camera !== null && (
          <Suspense>
            <CameraFault fault={camera} />
          </Suspense>
        )}
      </output>
      <output className={styles.notice} data-tone="caution" data-closable="true">
        {microphone !== null && (
          <Suspense>
            <MicrophoneFault fault={microphone} />
          </Suspense>
        )}
      </output>
    </>
  );
}
