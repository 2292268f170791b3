/** A picture's luma, row by row, 0..255. */
export interface Luma {
  width: number;
  height: number;
  values: Float32Array;
}

const WINDOW = 8;
const STEP = 4;
const PIXELS = WINDOW * WINDOW;
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/** Rec. 601, from the sRGB values of a canvas. */
export function lumaOf({ width, height, data }: ImageData): Luma {
  const values = new Float32Array(width * height);
  for (let i = 0, at = 0; i < values.length; i++, at += 4)
    values[i] = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
  return { width, height, values };
}

/**
 * Structural similarity (Wang et al., 2004) of two pictures of one size, both at least 8x8: 1 for the same picture,
 * about 0 where nothing is alike. The mean over windows of 8x8 pixels, 4 apart, as in x264 and FFmpeg.
 */
export function ssim(a: Luma, b: Luma): number {
  if (a.width !== b.width || a.height !== b.height) throw new RangeError("pictures of one size can be compared");
  let sum = 0;
  let windows = 0;
  for (let y = 0; y + WINDOW <= a.height; y += STEP)
    for (let x = 0; x + WINDOW <= a.width; x += STEP) {
      sum += similarity(a.values, b.values, y * a.width + x, a.width);
      windows++;
    }
  return sum / windows;
}

/** Of the windows whose upper left pixel has the index `from`. */
function similarity(a: Float32Array, b: Float32Array, from: number, width: number): number {
  let [sumA, sumB, squareA, squareB, product] = [0, 0, 0, 0, 0];
  for (let row = from; row < from + WINDOW * width; row += width)
    for (let i = row; i < row + WINDOW; i++) {
      const left = a[i] ?? 0;
      const right = b[i] ?? 0;
      sumA += left;
      sumB += right;
      squareA += left * left;
      squareB += right * right;
      product += left * right;
    }
  const meanA = sumA / PIXELS;
  const meanB = sumB / PIXELS;
  const varianceA = squareA / PIXELS - meanA ** 2;
  const varianceB = squareB / PIXELS - meanB ** 2;
  const covariance = product / PIXELS - meanA * meanB;
  const luminance = (2 * meanA * meanB + C1) / (meanA ** 2 + meanB ** 2 + C1);
  return (luminance * (2 * covariance + C2)) / (varianceA + varianceB + C2);
}
