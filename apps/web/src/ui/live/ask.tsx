import { useLingui } from "@lingui/react/macro";
import { lazy, Suspense } from "react";
import { DialogButton } from "../parts/dialog-button.tsx";
import { QuestionIcon } from "../parts/icons.tsx";

const AskForm = lazy(() => import("./ask-form.tsx"));

/** A viewer's question to the host, and the name that they may give with it. What it takes is loaded when it is opened. */
export function Ask() {
  const { t } = useLingui();
  return (
    <DialogButton icon={<QuestionIcon />} label={t`Ask`} title={t`Ask the host`}>
      <Suspense>
        <AskForm />
      </Suspense>
    </DialogButton>
  );
}
