import { random } from "@sealcast/crypto";
import { describe, expect, it } from "vitest";
import { JOURNAL_BYTES, type JournalEntry, latestEntry, sealEntry } from "./journal.ts";

const key = random(16);
const entry = (turn: number): JournalEntry => ({ turn, chunks: 10 + turn, tail: new Uint8Array(turn + 1).fill(turn) });

async function journalOf(...entries: readonly JournalEntry[]): Promise<Uint8Array> {
  const journal = new Uint8Array(JOURNAL_BYTES);
  for (const each of entries) {
    const { bytes, at } = await sealEntry(key, each);
    journal.set(bytes, at);
  }
  return journal;
}

describe("the journal", () => {
  it("has the latest of what was written", async () => {
    expect(await latestEntry(key, await journalOf(entry(0)))).toEqual(entry(0));
    expect(await latestEntry(key, await journalOf(entry(0), entry(1), entry(2)))).toEqual(entry(2));
    expect(await latestEntry(key, await journalOf(entry(0), entry(1), entry(2), entry(3)))).toEqual(entry(3));
  });

  it("has the one before, where a write was cut off", async () => {
    const journal = await journalOf(entry(0), entry(1));
    const { bytes, at } = await sealEntry(key, entry(2));
    for (const kept of [1, 4, 10, bytes.length - 1]) {
      const torn = journal.slice();
      torn.set(bytes.subarray(0, kept), at);
      expect(await latestEntry(key, torn)).toEqual(entry(1));
    }
  });

  it("has nothing where nothing was written, where it is cut off, and under another key", async () => {
    expect(await latestEntry(key, new Uint8Array(JOURNAL_BYTES))).toBeNull();
    expect(await latestEntry(key, new Uint8Array())).toBeNull();
    expect(await latestEntry(random(16), await journalOf(entry(0)))).toBeNull();
  });
});
