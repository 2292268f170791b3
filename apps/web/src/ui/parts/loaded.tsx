import { Trans, useLingui } from "@lingui/react/macro";
import { Component, type ReactNode, Suspense } from "react";
import button from "../button.module.css";
import { Message } from "./message.tsx";

/** A page whose script is loaded once it is shown. Where that does not load, or the page fails, it says so. */
export class Loaded extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Failed /> : <Suspense>{this.props.children}</Suspense>;
  }
}

function Failed() {
  const { t } = useLingui();
  return (
    <Message
      title={t`This page could not be shown`}
      text={t`A part of it did not load. Check your connection, then load it again.`}
    >
      <button type="button" className={button.primary} onClick={() => location.reload()}>
        <Trans>Load again</Trans>
      </button>
    </Message>
  );
}
