import { Trans } from "@lingui/react/macro";
import type { ReactNode } from "react";
import option from "../../parts/option.module.css";
import styles from "./layout-choice.module.css";
import { useLayout, useLayoutActions } from "./layout-context.ts";
import type { StageLayout } from "./layout-store.ts";

/** How people are shown, and whether this person sees themselves. */
export function LayoutChoice() {
  const actions = useLayoutActions();
  const hidesOwn = useLayout((state) => state.hidesOwn);
  return (
    <div className={styles.choice} data-item>
      <fieldset>
        <legend>
          <Trans>Layout</Trans>
        </legend>
        <Choice layout="grid">
          <Trans>Grid</Trans>
        </Choice>
        <Choice layout="speaker">
          <Trans context="layout">Speaker</Trans>
        </Choice>
      </fieldset>
      <label className={option.option}>
        <input type="checkbox" checked={!hidesOwn} onChange={({ target }) => actions.hideOwn(!target.checked)} />
        <span>
          <Trans>Show my own video</Trans>
        </span>
      </label>
    </div>
  );
}

function Choice({ layout, children }: { layout: StageLayout; children: ReactNode }) {
  const actions = useLayoutActions();
  const chosen = useLayout((state) => state.layout);
  return (
    <label className={option.option}>
      <input type="radio" name="layout" checked={chosen === layout} onChange={() => actions.choose(layout)} />
      <span>{children}</span>
    </label>
  );
}
