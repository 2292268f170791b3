import { Trans } from "@lingui/react/macro";
import { useLocation } from "wouter";
import button from "./button.module.css";

/** `quiet` where another button on the page is the better next step. */
export function BackToStart({ quiet = false }: { quiet?: boolean }) {
  const [, navigate] = useLocation();
  return (
    <button type="button" className={quiet ? button.quiet : button.primary} onClick={() => navigate("/")}>
      <Trans>Back to start</Trans>
    </button>
  );
}
