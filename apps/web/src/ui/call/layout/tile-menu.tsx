import { Trans, useLingui } from "@lingui/react/macro";
import { type ReactNode, useId } from "react";
import type { Person } from "../../../session/call/person.ts";
import { FullScreenIcon, HideIcon, MoreIcon, PinIcon, ShrinkIcon, SoundIcon } from "../../parts/icons.tsx";
import { useLayout, useLayoutActions } from "./layout-context.ts";
import { OWN, screenOf } from "./layout-store.ts";
import { QualityWords } from "./quality-mark.tsx";
import styles from "./tile-menu.module.css";

/** What can be done with a person's tile. */
export function PersonMenu({ person: { id, identity, name } }: { person: Person }) {
  const { t } = useLingui();
  return (
    <TileMenu label={t`Options for ${name}`}>
      {(close) => (
        <>
          <QualityWords id={id} name={name} />
          <PinItem tile={id} {...close} />
          <Volume identity={identity} name={name} />
          <FullScreenItem {...close} />
        </>
      )}
    </TileMenu>
  );
}

export function ScreenMenu({ person: { id, name }, isLarge }: { person: Person; isLarge: boolean }) {
  const { t } = useLingui();
  const actions = useLayoutActions();
  const isPinned = useLayout(({ pins }) => pins.includes(screenOf(id)));
  return (
    <TileMenu label={t`Options for the screen of ${name}`}>
      {(close) => (
        <>
          <PinItem tile={screenOf(id)} {...close} />
          {isLarge && !isPinned && (
            <button type="button" onClick={() => actions.shrink(screenOf(id))} {...close}>
              <ShrinkIcon />
              <Trans>Make smaller</Trans>
            </button>
          )}
          <FullScreenItem {...close} />
        </>
      )}
    </TileMenu>
  );
}

export function OwnMenu() {
  const { t } = useLingui();
  const actions = useLayoutActions();
  return (
    <TileMenu label={t`Options for your own video`}>
      {(close) => (
        <>
          <PinItem tile={OWN} {...close} />
          <button type="button" onClick={() => actions.hideOwn(true)} {...close}>
            <HideIcon />
            <Trans>Hide from me</Trans>
          </button>
        </>
      )}
    </TileMenu>
  );
}

/** A button with these closes the menu, and the focus goes back to its opener. */
interface Closing {
  popoverTarget: string;
  popoverTargetAction: "hide";
}

function TileMenu({ label, children }: { label: string; children: (close: Closing) => ReactNode }) {
  const id = useId();
  return (
    <>
      <button type="button" className={styles.open} popoverTarget={id} aria-label={label} title={label}>
        <span>
          <MoreIcon />
        </span>
      </button>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups form controls, and these are mostly buttons */}
      <div id={id} popover="auto" role="group" aria-label={label} className={styles.menu}>
        {children({ popoverTarget: id, popoverTargetAction: "hide" })}
      </div>
    </>
  );
}

function PinItem({ tile, ...close }: Closing & { tile: string }) {
  const actions = useLayoutActions();
  const isPinned = useLayout(({ pins }) => pins.includes(tile));
  return (
    <button type="button" onClick={() => actions.pin(tile, !isPinned)} {...close}>
      <PinIcon />
      {isPinned ? <Trans>Unpin</Trans> : <Trans context="action">Pin</Trans>}
    </button>
  );
}

function FullScreenItem(close: Closing) {
  if (!document.fullscreenEnabled) return null;
  return (
    <button
      type="button"
      onClick={({ currentTarget }) => void currentTarget.closest("[data-tile]")?.requestFullscreen()}
      {...close}
    >
      <FullScreenIcon />
      <Trans>Full screen</Trans>
    </button>
  );
}

/** How loud they are here, and nowhere else. */
function Volume({ identity, name }: Pick<Person, "identity" | "name">) {
  const { t, i18n } = useLingui();
  const actions = useLayoutActions();
  const volume = useLayout(({ volumes }) => volumes[identity] ?? 1);
  const percent = i18n.number(volume, { style: "percent" });
  return (
    <label className={styles.volume}>
      <SoundIcon />
      <input
        type="range"
        aria-label={t`Volume of ${name}`}
        min={0}
        max={1}
        step={0.05}
        value={volume}
        aria-valuetext={percent}
        onChange={({ target }) => actions.setVolume(identity, target.valueAsNumber)}
      />
      <output>{percent}</output>
    </label>
  );
}
