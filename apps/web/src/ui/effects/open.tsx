import { Trans, useLingui } from "@lingui/react/macro";
import { lazy, useState } from "react";
import button from "../button.module.css";
import { Dialog } from "../dialog.tsx";
import { Loaded } from "../loaded.tsx";

const Choices = lazy(() => import("./effects.tsx"));

/** Background, noise suppression and push to talk, which are loaded when they are first shown. */
export function EffectsChoice() {
  return (
    <Loaded>
      <Choices />
    </Loaded>
  );
}

/** The same behind a button, where a person looks at their devices before a call or a stream. */
export function EffectsButton() {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={button.quiet} onClick={() => setOpen(true)}>
        <Trans>Background and noise</Trans>
      </button>
      {open && (
        <Dialog title={t`Background and noise`} onClose={() => setOpen(false)}>
          <EffectsChoice />
        </Dialog>
      )}
    </>
  );
}
