import type { Luma } from "./ssim.page.ts";

/** How strong the edge at each pixel is, row by row; 0 along the border. */
export function edgesOf({ width, height, values }: Luma): Float32Array {
  const edges = new Float32Array(width * height);
  for (let y = 1; y < height - 1; y++)
    for (let at = y * width + 1; at < (y + 1) * width - 1; at++) {
      const across = (values[at + 1] ?? 0) - (values[at - 1] ?? 0);
      const down = (values[at + width] ?? 0) - (values[at - width] ?? 0);
      edges[at] = Math.sqrt(across * across + down * down);
    }
  return edges;
}

/**
 * How far two pictures' edges lie in the same places: their correlation, 1 for the same picture, about 0 where nothing is
 * alike, 0 where one has no edges. Unlike SSIM it forgives wrong brightness and rubble around an outline, as eyes do.
 */
export function outlines(a: Float32Array, b: Float32Array): number {
  const [meanA, meanB] = [mean(a), mean(b)];
  let [varianceA, varianceB, covariance] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const left = (a[i] ?? 0) - meanA;
    const right = (b[i] ?? 0) - meanB;
    varianceA += left * left;
    varianceB += right * right;
    covariance += left * right;
  }
  return varianceA === 0 || varianceB === 0 ? 0 : covariance / Math.sqrt(varianceA * varianceB);
}

function mean(values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}
