import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { NetworkPath } from "../../../session/peer/network-path.ts";
import { useView } from "../call-context.ts";
import styles from "./quality-mark.module.css";

const words: Record<NetworkPath, MessageDescriptor> = {
  direct: msg`Direct`,
  relay: msg`Through a relay at their end`,
  "relay-udp": msg`Through a relay (UDP)`,
  "relay-tcp": msg`Through a relay (TCP)`,
  "relay-tls": msg`Through a relay (TLS)`,
  "media-relay": msg`Through this call’s media relay`,
};

/** Which path the connection to a person takes. */
export function PathWords({ id }: { id: string }) {
  const { i18n } = useLingui();
  const path = useView(({ paths }) => paths[id]);
  return path === undefined ? null : <span className={styles.reason}>{i18n._(words[path])}</span>;
}
