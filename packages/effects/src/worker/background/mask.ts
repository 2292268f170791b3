/** Below the first a place counts as background, above the second as the person; between them it is mixed. */
const UNSURE = { from: 0.45, to: 0.85 };

/**
 * Opacity of the person, from how sure the model is of each place. What is no number is background: a model that gives
 * nonsense shows nothing.
 * @param opacities RGBA, of which the last is written
 */
export function writeMask(sureness: ArrayLike<number>, opacities: Uint8ClampedArray): void {
  const { from, to } = UNSURE;
  for (let at = 0; at < opacities.length / 4; at++) {
    const sure = sureness[at] ?? 0;
    const opacity = (sure - from) / (to - from);
    opacities[4 * at + 3] = opacity > 0 ? 255 * Math.min(1, opacity) : 0;
  }
}
