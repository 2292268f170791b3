import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { useLingui } from "@lingui/react/macro";
import { GOOD, type LinkQuality } from "../../../session/reception/quality.ts";
import { useView } from "../call-context.ts";
import styles from "./quality-mark.module.css";

export const qualityWords: Record<LinkQuality["steps"], MessageDescriptor> = {
  1: msg`Poor connection`,
  2: msg`Fair connection`,
  3: msg`Good connection`,
};

/** How good the connection to a person is. */
export const useQuality = (id: string): LinkQuality => useView(({ quality }) => quality[id] ?? GOOD);

/** In three steps, with a word. */
export function QualityMark({ id }: { id: string }) {
  const { i18n } = useLingui();
  const { steps } = useQuality(id);
  return (
    <svg
      className={styles.mark}
      data-steps={steps}
      viewBox="0 0 18 18"
      role="img"
      aria-label={i18n._(qualityWords[steps])}
    >
      <rect x="1" y="11" width="4" height="6" rx="1" />
      <rect x="7" y="6.5" width="4" height="10.5" rx="1" />
      <rect x="13" y="2" width="4" height="15" rx="1" />
    </svg>
  );
}
