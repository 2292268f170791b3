import { useLingui } from "@lingui/react/macro";
import { lazy, Suspense } from "react";
import { DialogButton } from "../../parts/dialog-button.tsx";
import { QualityIcon } from "../../parts/icons.tsx";

const Panel = lazy(() => import("./quality-panel.tsx"));

/** How a screen is shared, what others send, and details for support: loaded when it is first opened. */
export function Quality() {
  const { t } = useLingui();
  return (
    <DialogButton look="toggle" icon={<QualityIcon />} label={t`Quality`}>
      <Suspense>
        <Panel />
      </Suspense>
    </DialogButton>
  );
}
