import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import type { Way } from "../../../session/peer/way.ts";
import { useView } from "../call-context.ts";
import styles from "./quality-mark.module.css";

const words: Record<Way, MessageDescriptor> = {
  direct: msg`Direct`,
  relay: msg`Through a relay at their end`,
  "relay-udp": msg`Through a relay (UDP)`,
  "relay-tcp": msg`Through a relay (TCP)`,
  "relay-tls": msg`Through a relay (TLS)`,
};

/** Which way the connection to a person takes. */
export function WayWords({ id }: { id: string }) {
  const { i18n } = useLingui();
  const way = useView(({ ways }) => ways[id]);
  return way === undefined ? null : <span className={styles.reason}>{i18n._(words[way])}</span>;
}
