import { useLingui } from "@lingui/react/macro";

/** Names of people in a sentence, each of them isolated: one that is written from right to left turns no other word round. */
export function PersonNames({ names }: { names: readonly string[] }) {
  const { i18n } = useLingui();
  const parts = new Intl.ListFormat(i18n.locale).formatToParts(names);
  // biome-ignore lint/suspicious/noArrayIndexKey: two people can have one name
  return parts.map(({ type, value }, at) => (type === "element" ? <bdi key={at}>{value}</bdi> : value));
}
