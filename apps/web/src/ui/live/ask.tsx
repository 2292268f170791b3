import { Trans, useLingui } from "@lingui/react/macro";
import { lazy, Suspense, useState } from "react";
import button from "../button.module.css";
import { Dialog } from "../dialog.tsx";
import { QuestionIcon } from "../icons.tsx";

const AskForm = lazy(() => import("./ask-form.tsx"));

/** A viewer's question to the host, and the name that they may give with it. What it takes is loaded when it is opened. */
export function Ask() {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={button.quiet} onClick={() => setOpen(true)}>
        <QuestionIcon />
        <Trans>Ask</Trans>
      </button>
      {open && (
        <Dialog title={t`Ask the host`} onClose={() => setOpen(false)}>
          <Suspense>
            <AskForm />
          </Suspense>
        </Dialog>
      )}
    </>
  );
}
