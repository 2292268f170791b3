import { Trans, useLingui } from "@lingui/react/macro";
import { NextIcon, PreviousIcon } from "../../parts/icons.tsx";
import type { Place, Plan } from "./arrange.ts";
import { useLayoutActions } from "./layout-context.ts";
import styles from "./pager.module.css";
import { placed } from "./placed.ts";

/** Turns the pages of the people who are not large. */
export function Pager({ page, pages, place }: Pick<Plan, "page" | "pages"> & { place: Place }) {
  const { t } = useLingui();
  const { turn } = useLayoutActions();
  const [number, isUpright] = [page + 1, place.height > place.width];
  return (
    <nav className={styles.pager} aria-label={t`Pages of people`} style={placed(place)} data-upright={isUpright}>
      <button
        type="button"
        aria-label={t`Previous page`}
        aria-disabled={page === 0}
        onClick={() => turn(Math.max(page - 1, 0))}
      >
        <PreviousIcon />
      </button>
      <span className={styles.where} aria-live="polite">
        <span aria-hidden="true">
          {number}/{pages}
        </span>
        <span className={styles.unseen}>
          <Trans>
            Page {number} of {pages}
          </Trans>
        </span>
      </span>
      <button
        type="button"
        aria-label={t`Next page`}
        aria-disabled={number === pages}
        onClick={() => turn(Math.min(number, pages - 1))}
      >
        <NextIcon />
      </button>
    </nav>
  );
}
