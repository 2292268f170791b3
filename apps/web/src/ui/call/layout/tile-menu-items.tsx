import { Trans, useLingui } from "@lingui/react/macro";
import type { Person } from "../../../session/call/person.ts";
import { FullScreenIcon, HideIcon, PinIcon, ShrinkIcon, SoundIcon } from "../../icons.tsx";
import { useLayout, useLayoutActions } from "./layout-context.ts";
import { OWN, screenOf } from "./layout-store.ts";
import { QualityWords } from "./quality-words.tsx";
import styles from "./tile-menu.module.css";

/** A button with these closes the menu, and the focus goes back to its opener. */
export interface Closing {
  popoverTarget: string;
  popoverTargetAction: "hide";
}

/** What can be done with a tile: a person's, one of a shared screen, or this person's own. */
export type TileOf =
  | { tile: "person"; person: Person }
  | { tile: "screen"; person: Person; isLarge: boolean }
  | { tile: "own" };

export default function TileMenuItems({ of, ...close }: Closing & { of: TileOf }) {
  switch (of.tile) {
    case "person":
      return <PersonItems person={of.person} {...close} />;
    case "screen":
      return <ScreenItems person={of.person} isLarge={of.isLarge} {...close} />;
    case "own":
      return <OwnItems {...close} />;
  }
}

function PersonItems({ person: { id, identity, name }, ...close }: Closing & { person: Person }) {
  return (
    <>
      <QualityWords id={id} name={name} />
      <PinItem tile={id} {...close} />
      <Volume identity={identity} name={name} />
      <FullScreenItem {...close} />
    </>
  );
}

interface ScreenItemsProps extends Closing {
  person: Person;
  isLarge: boolean;
}

function ScreenItems({ person: { id }, isLarge, ...close }: ScreenItemsProps) {
  const actions = useLayoutActions();
  const isPinned = useLayout(({ pins }) => pins.includes(screenOf(id)));
  return (
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
  );
}

function OwnItems(close: Closing) {
  const actions = useLayoutActions();
  return (
    <>
      <PinItem tile={OWN} {...close} />
      <button type="button" onClick={() => actions.hideOwn(true)} {...close}>
        <HideIcon />
        <Trans>Hide from me</Trans>
      </button>
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
