import { useLingui } from "@lingui/react/macro";
import { lazy, Suspense, useId, useState } from "react";
import type { Person } from "../../../session/call/person.ts";
import { MoreIcon } from "../../icons.tsx";
import styles from "./tile-menu.module.css";
import type { TileOf } from "./tile-menu-items.tsx";

const Items = lazy(() => import("./tile-menu-items.tsx"));

export function PersonMenu({ person }: { person: Person }) {
  const { t } = useLingui();
  const { name } = person;
  return <TileMenu label={t`Options for ${name}`} of={{ tile: "person", person }} />;
}

export function ScreenMenu({ person, isLarge }: { person: Person; isLarge: boolean }) {
  const { t } = useLingui();
  const { name } = person;
  return <TileMenu label={t`Options for the screen of ${name}`} of={{ tile: "screen", person, isLarge }} />;
}

export function OwnMenu() {
  const { t } = useLingui();
  return <TileMenu label={t`Options for your own video`} of={{ tile: "own" }} />;
}

/** What is in it is loaded when it is first opened. */
function TileMenu({ label, of }: { label: string; of: TileOf }) {
  const id = useId();
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <>
      <button type="button" className={styles.open} popoverTarget={id} aria-label={label} title={label}>
        <span>
          <MoreIcon />
        </span>
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups form controls, and these are mostly buttons */}
      <div
        id={id}
        popover="auto"
        role="group"
        aria-label={label}
        className={styles.menu}
        onToggle={() => setWasOpened(true)}
      >
        <Suspense>{wasOpened && <Items of={of} popoverTarget={id} popoverTargetAction="hide" />}</Suspense>
      </div>
    </>
  );
}
