import { Trans } from "@lingui/react/macro";
import button from "../../button.module.css";
import { LeaveIcon } from "../../parts/icons.tsx";
import { useActions } from "../call-context.ts";

export function LeaveButton({ className }: { className: string | undefined }) {
  const actions = useActions();
  return (
    <button type="button" className={`${button.danger} ${className}`} onClick={() => actions.leave()}>
      <LeaveIcon />
      <span>
        <Trans>Leave call</Trans>
      </span>
    </button>
  );
}
