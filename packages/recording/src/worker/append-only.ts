import type { StreamTargetChunk } from "mediabunny";

/**
 * Where the muxer writes: at the end of what it has written, or not at all. What is sealed once is never sealed again in
 * another form.
 */
export function appendOnly(append: (bytes: Uint8Array) => void): WritableStream<StreamTargetChunk> {
  let end = 0;
  return new WritableStream({
    write({ data, position }) {
      if (position !== end) throw new Error(`A write at ${position} of a recording that ends at ${end}.`);
      end += data.length;
      append(data);
    },
  });
}
