import { Trans, useLingui } from "@lingui/react/macro";
import { Link } from "wouter";
import button from "./button.module.css";
import { Message } from "./message.tsx";

export function NotFound() {
  const { t } = useLingui();
  return (
    <Message title={t`There is no such page`} text={t`Check the address, or begin at the start.`}>
      <Link href="/" className={button.primary}>
        <Trans>Back to start</Trans>
      </Link>
    </Message>
  );
}
