import { describe, expect, it } from "vitest";
import { type Luma, lumaOf, ssim } from "./ssim.page.ts";

function picture(width: number, height: number, value: (at: number) => number): Luma {
  return { width, height, values: Float32Array.from({ length: width * height }, (_, at) => value(at)) };
}

const rough = (at: number) => (at * 37) % 256;

describe("structural similarity", () => {
  it("is 1 for the same picture", () => {
    expect(ssim(picture(33, 21, rough), picture(33, 21, rough))).toBeCloseTo(1, 12);
  });

  it("of two flat pictures is that of their brightness alone", () => {
    const c1 = (0.01 * 255) ** 2;
    const expected = (2 * 50 * 200 + c1) / (50 ** 2 + 200 ** 2 + c1);
    expect(
      ssim(
        picture(16, 16, () => 50),
        picture(16, 16, () => 200),
      ),
    ).toBeCloseTo(expected, 12);
  });

  it("of one window is what ssim.js 3.5.0 gives (its algorithm with even windows, of 8 pixels)", () => {
    const changed = picture(8, 8, (at) => (rough(at) + ((at * at) % 50)) % 256);
    expect(ssim(picture(8, 8, rough), changed)).toBeCloseTo(0.5855858031074141, 12);
    const negative = picture(8, 8, (at) => 255 - rough(at));
    expect(ssim(picture(8, 8, rough), negative)).toBeCloseTo(-0.9852152993180536, 12);
  });

  it("is the mean over windows that lie 4 pixels apart", () => {
    // 12 x 8: a window at 0 and one at 4. What only the first sees changes only the first.
    const plain = picture(12, 8, rough);
    const changed = picture(12, 8, (at) => (at % 12 < 4 ? 0 : rough(at)));
    const first = (of: Luma) => ({ ...of, width: 8, values: of.values.filter((_, at) => at % 12 < 8) });
    expect(ssim(plain, changed)).toBeCloseTo((ssim(first(plain), first(changed)) + 1) / 2, 12);
  });

  it("is not to be had of pictures of different sizes", () => {
    expect(() => ssim(picture(16, 8, rough), picture(8, 16, rough))).toThrow(RangeError);
  });
});

it("luma weighs the colours, and lies between black and white", () => {
  const data = Uint8ClampedArray.of(0, 0, 0, 255, 255, 255, 255, 255, 255, 0, 0, 255, 0, 255, 0, 255);
  const { values } = lumaOf({ width: 4, height: 1, data } as ImageData);
  expect([...values].map(Math.round)).toEqual([0, 255, 76, 150]);
});
