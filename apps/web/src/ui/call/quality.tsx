import { Trans } from "@lingui/react/macro";
import { lazy, Suspense, useState } from "react";
import { QualityIcon } from "../icons.tsx";
import toggle from "../toggle.module.css";

const Panel = lazy(() => import("./quality-panel.tsx"));

/** How a screen is shared, what others send, and details for support: loaded when it is first opened. */
export function Quality() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={toggle.toggle} onClick={() => setOpen(true)}>
        <QualityIcon />
        <span>
          <Trans>Quality</Trans>
        </span>
      </button>
      {open && (
        <Suspense>
          <Panel onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
