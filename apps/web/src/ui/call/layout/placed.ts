import type { CSSProperties } from "react";
import type { Place } from "./arrange.ts";

/** The style that puts something in its place. */
export function placed({ x, y, width, height }: Place): CSSProperties {
  return { insetInlineStart: x, insetBlockStart: y, inlineSize: width, blockSize: height };
}
