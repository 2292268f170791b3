import { Trans } from "@lingui/react/macro";
import { badgeOf } from "../../../session/audit/badge.ts";
import { EncryptionBadge } from "../../encryption/encryption-badge.tsx";
import { EncryptionDetails } from "../../encryption/encryption-details.tsx";
import { useView } from "../call-context.ts";
import { MeetingCode } from "./meeting-code.tsx";
import { PolicyChoice } from "./policy.tsx";

export function EncryptionStatus() {
  return <EncryptionBadge shown={useView(badgeOf)} details={(close) => <Details onClose={close} />} />;
}

function Details({ onClose }: { onClose: () => void }) {
  const encryption = useView((view) => view.encryption);
  const alarms = useView((view) => view.alarms);
  const layers = useView((view) => view.layers);
  return (
    <EncryptionDetails
      {...{ encryption, alarms, layers, onClose }}
      nothing={<Trans>Nothing is sent yet, since nobody else is here. Frames are counted from the first one.</Trans>}
    >
      <MeetingCode />
      <PolicyChoice />
    </EncryptionDetails>
  );
}
