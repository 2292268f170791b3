import { Trans } from "@lingui/react/macro";
import styles from "./home.module.css";

const columns = 16;
const rows = 9;

/** What noise looks like: the same cells at every visit, with no pattern that the eye finds. */
const noise = Array.from({ length: columns * rows }, (_, cell) => {
  const scattered = Math.sin(cell * 12.9898) * 43758.5453;
  return { x: cell % columns, y: Math.floor(cell / columns), shade: scattered - Math.floor(scattered) };
});

function Face() {
  return (
    <svg viewBox="0 0 160 90" aria-hidden="true">
      <circle cx="80" cy="38" r="17" />
      <path d="M44 90a36 32 0 0 1 72 0z" />
    </svg>
  );
}

function Noise() {
  return (
    <svg viewBox={`0 0 ${columns} ${rows}`} shapeRendering="crispEdges" aria-hidden="true">
      {noise.map(({ x, y, shade }) => (
        <rect key={`${x},${y}`} x={x} y={y} width="1" height="1" opacity={shade * 0.8} />
      ))}
    </svg>
  );
}

/** Three pictures of one moment: clear at both ends, noise on the way. */
export function Journey() {
  return (
    <ol className={styles.journey}>
      <li className={styles.clear}>
        <Face />
        <Trans>You</Trans>
      </li>
      <li className={styles.sealed}>
        <Noise />
        <Trans>What the server sees</Trans>
      </li>
      <li className={styles.clear}>
        <Face />
        <Trans>The people you invite</Trans>
      </li>
    </ol>
  );
}
