import { useLingui } from "@lingui/react/macro";
import { lazy, type ReactNode, Suspense } from "react";
import { withWords } from "../language/language.ts";
import { DialogButton } from "../parts/dialog-button.tsx";
import { CaptionsIcon } from "../parts/icons.tsx";
import { useView } from "./call-context.ts";
import { captionsWords } from "./captions/words-catalog.ts";
import styles from "./captions.module.css";

const Panel = lazy(() => withWords(captionsWords, import("./captions/panel.tsx")));
const Captions = lazy(() => withWords(captionsWords, import("./captions/lines.tsx")));

export function CaptionsButton() {
  const { t } = useLingui();
  return (
    <DialogButton look="toggle" icon={<CaptionsIcon />} label={t`Captions`}>
      <Suspense>
        <Panel />
      </Suspense>
    </DialogButton>
  );
}

/** The stage, and below it what is said, so that captions cover nobody. */
export function Captioned({ children }: { children: ReactNode }) {
  const isOn = useView(({ captions: { shows, speaks } }) => shows || speaks);
  return (
    <div className={styles.captioned}>
      {children}
      {isOn && (
        <Suspense>
          <Captions />
        </Suspense>
      )}
    </div>
  );
}
