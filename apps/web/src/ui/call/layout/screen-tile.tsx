import { useLingui } from "@lingui/react/macro";
import { useState } from "react";
import type { Person } from "../../../session/call/person.ts";
import { ZoomInIcon, ZoomOutIcon } from "../../parts/icons.tsx";
import { Video } from "../../parts/video.tsx";
import tile from "../stage/tile.module.css";
import { useSeen } from "../stage/tile.tsx";
import type { Place } from "./arrange.ts";
import { screenOf } from "./layout-store.ts";
import { placed } from "./placed.ts";
import styles from "./screen-tile.module.css";
import { ScreenMenu } from "./tile-menu.tsx";

/** How many times as large as the tile it can be; below 1 nothing would be gained. */
const ZOOMS = [1, 1.5, 2, 3, 4];

interface ScreenTileProps {
  person: Person;
  place: Place | null;
  isLarge: boolean;
}

/** What someone shares, whole: nothing is cut off at its edges. Enlarged it is scrolled, with a finger, a pointer or keys. */
export function ScreenTile({ person, place, isLarge }: ScreenTileProps) {
  const { id, name, screen } = person;
  const { t } = useLingui();
  const see = useSeen("screen-picture", id, place);
  const [chosen, setChosen] = useState(0);
  const zoom = isLarge ? chosen : 0;
  const times = ZOOMS[zoom] ?? 1;
  const label = t`Screen of ${name}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form controls, and this is a picture
    <div
      role="group"
      aria-label={label}
      className={tile.tile}
      style={place === null ? undefined : placed(place)}
      hidden={place === null}
      data-tile={screenOf(id)}
    >
      <div
        className={styles.scrolled}
        {...(times > 1 && { role: "region", tabIndex: 0, "aria-label": t`Enlarged screen of ${name}` })}
      >
        <div className={styles.screen} style={{ inlineSize: `${100 * times}%`, blockSize: `${100 * times}%` }}>
          <Video stream={screen} hidden={false} mirrored={false} muted onShown={see} />
        </div>
      </div>
      <p className={tile.plate}>
        <bdi className={tile.name}>{label}</bdi>
      </p>
      {isLarge && <Zoom {...{ zoom, times, setZoom: setChosen }} />}
      <ScreenMenu person={person} isLarge={isLarge} />
    </div>
  );
}

function Zoom({ zoom, times, setZoom }: { zoom: number; times: number; setZoom: (zoom: number) => void }) {
  const { t, i18n } = useLingui();
  const most = ZOOMS.length - 1;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form controls, and these are buttons
    <div className={styles.zoom} role="group" aria-label={t`Zoom`}>
      <button
        type="button"
        aria-label={t`Zoom out`}
        aria-disabled={zoom === 0}
        onClick={() => setZoom(Math.max(zoom - 1, 0))}
      >
        <ZoomOutIcon />
      </button>
      <output>{i18n.number(times, { style: "percent" })}</output>
      <button
        type="button"
        aria-label={t`Zoom in`}
        aria-disabled={zoom === most}
        onClick={() => setZoom(Math.min(zoom + 1, most))}
      >
        <ZoomInIcon />
      </button>
    </div>
  );
}
