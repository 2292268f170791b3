import { concat, u32, u64 } from "@sealcast/bytes";
import { expect, test } from "vitest";
import { UnreadableRecording } from "./boxes.ts";
import { indexOf } from "./fragments.ts";
import { box, MemorySource, record } from "./recorded.cases.ts";

const of = (...parts: Uint8Array[]) => indexOf(new MemorySource(concat(...parts)));

test("a track whose time has no unit is refused", async () => {
  const { bytes } = await record(1);
  const unit = new TextDecoder("latin1").decode(bytes).indexOf("mdhd") + 16;
  await expect(of(bytes.slice(0, unit), u32(0), bytes.slice(unit + 4))).rejects.toThrow(UnreadableRecording);
});

test("a file that ends within a header of 64 bits has the fragments before it", async () => {
  const { bytes } = await record(3, { finish: false });
  const { fragments } = await of(bytes);
  for (const left of [0, 4, 7])
    expect((await of(bytes, u32(1), new TextEncoder().encode("free"), new Uint8Array(left))).fragments).toEqual(
      fragments,
    );
});

test("boxes that are no fragments are counted from one fragment to the next", async () => {
  const { bytes } = await record(3, { finish: false });
  const init = bytes.subarray(0, (await of(bytes)).init.length);
  const fragment = (start: number) => {
    const traf = box("traf", box("tfhd", u32(0), u32(1)), box("tfdt", u32(0x0100_0000), u64(BigInt(start))));
    return concat(box("free"), box("moof", traf), box("mdat"));
  };
  const many = Array.from({ length: 600 }, (_, start) => fragment(start));
  expect((await of(init, ...many)).fragments.length).toBe(600);
});
