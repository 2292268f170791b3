import { useLingui } from "@lingui/react/macro";
import { BackToStart } from "./back-to-start.tsx";
import { Message } from "./parts/message.tsx";

export function NotFound() {
  const { t } = useLingui();
  return (
    <Message title={t`There is no such page`} text={t`Check the address, or begin at the start.`}>
      <BackToStart />
    </Message>
  );
}
