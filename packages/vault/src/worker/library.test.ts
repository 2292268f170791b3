import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openAgeFile } from "../shared/age-file.ts";
import { newIdentity, openHeader, recipientOf, sealHeader } from "../shared/header.ts";
import { CHUNK_BYTES, chunkAt, chunkNonce, payloadCipher } from "../shared/payload.ts";
import { ID_BYTES, type MetaSigner, openMeta } from "../shared/signed-meta.ts";
import { newSigner } from "../shared/signer.cases.ts";
import { blobBytes } from "./files.ts";
import { Library } from "./library.ts";
import { becomes, type Content, chunkPort, Disk, type Folder, Visit } from "./opfs.cases.ts";

const DETAILS = { title: "A call", kind: "video/mp4", people: ["Ann"] };
const ENDING = { seconds: 3, kind: "video/mp4", people: ["Ann"], thumbnail: new Uint8Array() };
const NO_PREVIEW = { seconds: null, thumbnail: new Uint8Array() };
const WHOLE = new Uint8Array(90_000).map((_, i) => i * 31 + (i >> 8));

let identity: string;
let recipient: string;
let other: string;
let signer: MetaSigner;
let disk: Disk;
let visit: Visit;
let library: Library;

beforeAll(async () => {
  [identity, other] = [await newIdentity(), await newIdentity()];
  recipient = await recipientOf(identity);
  signer = await newSigner();
});

beforeEach(() => {
  disk = new Disk();
  begin();
});

afterEach(() => {
  visit.end();
  vi.unstubAllGlobals();
});

/** Another worker's life, after the one before has ended. */
function begin(crashAfter = Number.POSITIVE_INFINITY): void {
  visit?.end();
  visit = new Visit(disk);
  visit.crashAfter = crashAfter;
  becomes(visit);
  library = new Library(visit.root, signer);
}

const workers = () => ({ ports: [chunkPort(), chunkPort()], onProgress: () => undefined });

async function unfinished(): Promise<string> {
  const id = await library.create(DETAILS, recipient);
  await library.append(id, WHOLE.slice(0, 60_000));
  await library.append(id, WHOLE.slice(60_000));
  return id;
}

async function finished(): Promise<string> {
  const id = await unfinished();
  await library.finish(id, ENDING);
  return id;
}

async function contents(id: string): Promise<Uint8Array> {
  const { size, read, close } = await library.open(id, identity);
  const bytes = await read(0, await size());
  close();
  return bytes;
}

/** Runs `operate` on a fresh vault with a crash after each number of changes, until it gets by; then `check`, at another visit. */
async function atEveryCrash<Before>(
  prepare: () => Promise<Before>,
  operate: (before: Before) => Promise<unknown>,
  check: (before: Before, isDone: boolean) => Promise<void>,
): Promise<void> {
  disk = new Disk();
  begin();
  const before = await prepare();
  visit.end();
  const prepared = disk;
  for (let crashAfter = 0, isDone = false; !isDone; crashAfter++) {
    disk = prepared.copy();
    begin(crashAfter);
    await operate(before).catch((error: unknown) => {
      if (!visit.isOver) throw error;
    });
    isDone = !visit.isOver;
    begin();
    await check(before, isDone);
  }
}

const listed = () => library.list(identity);

describe("a crash at any moment of", { timeout: 300_000 }, () => {
  test("a recording keeps all that was appended", async () => {
    let appended = 0;
    await atEveryCrash(
      async () => (appended = 0),
      async () => {
        const id = await library.create(DETAILS, recipient);
        for (const at of [0, 30_000, 60_000]) {
          await library.append(id, WHOLE.slice(at, at + 30_000));
          appended = at + 30_000;
        }
        await library.finish(id, ENDING);
      },
      async () => {
        const [entry] = await listed();
        if (entry === undefined) return expect(appended).toBe(0);
        if (entry.state === "unfinished") await library.recover(entry.id, null, identity, workers().ports);
        const kept = await contents(entry.id);
        expect(kept.length).toBeGreaterThanOrEqual(appended);
        expect(same(kept, WHOLE.subarray(0, kept.length))).toBe(true);
        expect(await listed()).toMatchObject([{ state: "finished", title: "A call" }]);
      },
    );
  });

  test("a recovery loses nothing: it is done again", async () => {
    await atEveryCrash(
      unfinished,
      (id) => library.recover(id, null, identity, workers().ports),
      async (id) => {
        const [entry] = await listed();
        if (entry?.state === "unfinished") await library.recover(id, null, identity, workers().ports);
        expect(same(await contents(id), WHOLE)).toBe(true);
        expect(await listed()).toMatchObject([{ state: "finished" }]);
      },
    );
  });

  test("renaming leaves the one title or the other", async () => {
    await atEveryCrash(
      finished,
      (id) => library.rename(id, "Another", identity),
      async (id, isDone) => {
        const [entry] = await listed();
        expect(isDone ? ["Another"] : ["A call", "Another"]).toContain(entry?.title);
        expect(same(await contents(id), WHOLE)).toBe(true);
      },
    );
  });

  test("sharing leaves a copy that opens for those who are listed, and for nobody else", async () => {
    await atEveryCrash(
      finished,
      async (id) => library.share(id, "Ben", await recipientOf(other), identity),
      async (id, isDone) => {
        const [entry] = await listed();
        const isListed = entry?.shared.length === 1;
        expect(isListed || !isDone).toBe(true);
        expect(await opens(id, other)).toBe(isListed);
        expect(await opens(id, identity)).toBe(true);
      },
    );
  });

  test("taking a recipient away leaves no copy to leave that opens for them", async () => {
    await atEveryCrash(
      async () => {
        const id = await finished();
        await library.share(id, "Ben", await recipientOf(other), identity);
        return id;
      },
      async (id) => {
        await library.unshare(id, await recipientOf(other), identity);
        await library.reseal(id, identity, workers());
      },
      async (id, isDone) => {
        const [entry] = await listed();
        if (entry?.shared.length === 1) return expect(isDone).toBe(false);
        if (entry?.state === "resealing") {
          await expect(library.exportSealed(id, identity)).rejects.toMatchObject({ code: "busy" });
          await library.reseal(id, identity, workers());
        }
        expect(await opens(id, other)).toBe(false);
        expect(same(await contents(id), WHOLE)).toBe(true);
        expect(await listed()).toMatchObject([{ state: "finished", shared: [] }]);
      },
    );
  });

  test("an import leaves all of it, or nothing", async () => {
    await atEveryCrash(
      async () => undefined,
      () => library.importFile(new Blob([WHOLE]), { ...DETAILS, kind: "video/mp4" }, NO_PREVIEW, identity, workers()),
      async (_, isDone) => {
        const entries = await listed();
        expect(entries.length).toBeLessThanOrEqual(1);
        expect(entries.length === 1 || !isDone).toBe(true);
        for (const { id } of entries) expect(same(await contents(id), WHOLE)).toBe(true);
        if (entries.length === 0) expect(disk.root.entries.size).toBe(0);
      },
    );
  });

  test("the import of a sealed file leaves all of it, or nothing, and it can be imported again", async () => {
    const { file, sidecar } = await library.exportSealed(await finished(), identity);
    await atEveryCrash(
      async () => undefined,
      () => library.importSealed(file, sidecar, "A call", identity, workers()),
      async (_, isDone) => {
        const entries = await listed();
        expect(entries.length === 1 || !isDone).toBe(true);
        const { id } = entries[0] ?? (await library.importSealed(file, sidecar, "A call", identity, workers()));
        expect(same(await contents(id), WHOLE)).toBe(true);
      },
    );
  });

  test("deleting leaves the file as it was, or nothing that opens", async () => {
    await atEveryCrash(
      finished,
      (id) => library.remove(id),
      async (id, isDone) => {
        const [entry] = await listed();
        if (entry?.state === "finished") return expect(same(await contents(id), WHOLE)).toBe(true);
        if (entry !== undefined) await library.remove(id);
        expect(isDone && entry !== undefined).toBe(false);
        expect(await listed()).toEqual([]);
      },
    );
  });
});

describe("on a disk that others write to", () => {
  test.each([
    ["details", "meta.age"],
    ["a key", "header.age"],
    ["contents", "payload"],
  ])("a file without %s hides no other, and can be deleted", async (_, name) => {
    const [id, whole] = [await finished(), await finished()];
    (folderOf(id).entries.get("0") as Folder).entries.delete(name);
    const entries = await listed();
    expect(entries.map((entry) => entry.id)).toContain(whole);
    await expect(contents(id)).rejects.toThrow();
    if (entries.length === 2) await library.remove(id);
    expect(await listed()).toMatchObject([{ id: whole, state: "finished" }]);
  });

  test("a recording whose details were changed before it was finished hides no other, and can be deleted", async () => {
    const [id, whole] = [await unfinished(), await finished()];
    begin();
    const draft = (folderOf(id).entries.get("0") as Folder).entries.get("draft.age") as Content;
    draft.bytes = draft.bytes.with(draft.bytes.length - 1, (draft.bytes.at(-1) ?? 0) ^ 1);
    expect((await listed()).map(({ id, state }) => [id, state])).toEqual(
      expect.arrayContaining([
        [id, "damaged"],
        [whole, "finished"],
      ]),
    );
    await library.remove(id);
    expect(await listed()).toMatchObject([{ id: whole }]);
  });

  test("the version before does not come back beside the one that counts, nor its parts in it", async () => {
    const id = await finished();
    const before = folderOf(id).copy().entries.get("0") as Folder;
    await library.unshare(id, await recipientOf(other), identity);
    await library.reseal(id, identity, workers());
    folderOf(id).entries.set("0", before.copy());
    expect(await listed()).toMatchObject([{ state: "finished" }]);
    expect([...folderOf(id).entries.keys()]).toEqual(["1"]);
    const now = folderOf(id).entries.get("1") as Folder;
    for (const name of ["header.age", "payload", "meta.age"]) {
      const kept = now.copy();
      now.entries.set(name, before.entries.get(name) as Content);
      await expect(contents(id)).rejects.toMatchObject({ code: expect.stringMatching(/tampered|bad-signature/) });
      for (const [part, content] of kept.entries) now.entries.set(part, content);
    }
    expect(same(await contents(id), WHOLE)).toBe(true);
  });

  test("nobody is let into a copy by a header of before", async () => {
    const id = await finished();
    const fileKey = await openHeader(bytesIn(id, "header.age"), [identity]);
    const header = await sealHeader(fileKey, [recipient, await recipientOf(other)]);
    ((folderOf(id).entries.get("0") as Folder).entries.get("header.age") as Content).bytes = new Uint8Array(header);
    expect(await opens(id, other)).toBe(false);
    expect(await opens(id, identity)).toBe(true);
  });
});

describe("a file that is shared", () => {
  test("is so with each recipient once, and with none to which nothing can be sealed", async () => {
    const [id, ben] = [await finished(), await recipientOf(other)];
    await library.share(id, "Ben", ben, identity);
    expect(await library.share(id, "Benjamin", ben, identity)).toMatchObject({ shared: [{ name: "Benjamin" }] });
    await expect(library.share(id, "x", `${ben}q`, identity)).rejects.toMatchObject({ code: "unknown-kind" });
    expect((await library.unshare(id, ben, identity)).shared).toEqual([]);
    expect(await listed()).toMatchObject([{ state: "resealing" }]);
  });

  test("says to nobody with whom, and keeps its sender's recipients out of the vault that imports it", async () => {
    const id = await finished();
    await library.share(id, "Ben", await recipientOf(other), identity);
    const { file, sidecar } = await library.exportSealed(id, identity);
    expect((await openMeta(sidecar.subarray(ID_BYTES), [other])).meta.notes.shared).toEqual([]);
    disk = new Disk();
    begin();
    expect(await library.importSealed(file, sidecar, "", other, workers())).toMatchObject({ id, shared: [] });
    expect(new TextDecoder().decode(bytesIn(id, "header.age")).match(/^-> /gm)).toHaveLength(1);
  });

  test("gives nothing of a part that a recipient sealed in another's place", async () => {
    const id = await finished();
    const payload = (folderOf(id).entries.get("0") as Folder).entries.get("payload") as Content;
    const cipher = await payloadCipher(
      await openHeader(bytesIn(id, "header.age"), [identity]),
      payload.bytes.slice(0, 16),
    );
    const forged = await cipher.seal(chunkNonce(0, false), new Uint8Array(CHUNK_BYTES));
    payload.bytes = payload.bytes.slice();
    payload.bytes.set(forged, chunkAt(0));
    await expect(contents(id)).rejects.toMatchObject({ code: "tampered" });
  });
});

test("what was torn is left out of what is recovered, with what came after it on a disk that others write to", async () => {
  const id = await unfinished();
  begin();
  const payload = (folderOf(id).entries.get("0") as Folder).entries.get("payload") as Content;
  payload.bytes = payload.bytes.with(chunkAt(0), (payload.bytes[chunkAt(0)] ?? 0) ^ 1);
  await library.recover(id, null, identity, workers().ports);
  expect(await contents(id)).toHaveLength(0);
});

describe("two tabs", () => {
  test("delete a file that one of them reads: it opens no more, and goes with the next list", async () => {
    const id = await finished();
    const { read, close } = await library.open(id, identity);
    const [tab, reading] = [new Visit(disk), visit];
    becomes(tab);
    const second = new Library(tab.root, signer);
    await second.remove(id);
    expect(await second.list(identity)).toEqual([]);
    await expect(second.open(id, identity)).rejects.toMatchObject({ code: "not-found" });
    expect(bytesIn(id, "header.age").every((byte) => byte === 0)).toBe(true);
    expect(same(await read(0, 10), WHOLE.subarray(0, 10))).toBe(true);
    close();
    expect(await second.list(identity)).toEqual([]);
    expect(disk.root.entries.size).toBe(0);
    tab.end();
    becomes(reading);
  });

  test.each([
    ["renamed", (id: string, by: Library) => by.rename(id, "x", identity)],
    ["deleted", (id: string, by: Library) => by.remove(id)],
    ["sealed again", (id: string, by: Library) => by.reseal(id, identity, workers())],
    ["recovered", (id: string, by: Library) => by.recover(id, null, identity, workers().ports)],
  ])("a recording that one of them makes is not %s by the other", async (_, does) => {
    const id = await unfinished();
    const tab = new Visit(disk);
    becomes(tab);
    await expect(does(id, new Library(tab.root, signer))).rejects.toMatchObject({ code: "busy" });
    tab.end();
    becomes(visit);
    expect(await listed()).toMatchObject([{ state: "writing" }]);
    await library.finish(id, ENDING);
    expect(same(await contents(id), WHOLE)).toBe(true);
  });

  test("a list in one of them removes nothing that the other has just imported", async () => {
    const { file, sidecar } = await library.exportSealed(await finished(), identity);
    disk = new Disk();
    begin();
    const tab = new Visit(disk);
    const second = new Library(tab.root, signer);
    // The other lists whenever this one has changed something, as slowly as it likes.
    const lists: Promise<unknown>[] = [];
    visit.onChange = () => void lists.push(second.list(identity));
    const { id } = await library.importSealed(file, sidecar, "", identity, workers());
    await Promise.all(lists);
    tab.end();
    expect(same(await contents(id), WHOLE)).toBe(true);
  });
});

test("a finished recording keeps nothing of what it took to write it", async () => {
  const id = await finished();
  const { entries } = folderOf(id).entries.get("0") as Folder;
  expect([...entries.keys()].toSorted()).toEqual(["header.age", "meta.age", "payload"]);
});

test.each([
  ["finished", finished, ["header.age", "meta.age"]],
  ["unfinished", unfinished, ["header.age", "draft.age", "journal.age"]],
])("of a file that is deleted, %s, keys and details are overwritten", async (_, make, names) => {
  const id = await make();
  begin();
  const { entries } = folderOf(id).entries.get("0") as Folder;
  const contents = names.map((name) => entries.get(name) as Content);
  await library.remove(id);
  for (const { bytes } of contents) expect([bytes.length > 0, bytes.every((byte) => byte === 0)]).toEqual([true, true]);
  expect(disk.root.entries.size).toBe(0);
});

describe("what cannot be done to its end", () => {
  test("a recording for whose end there is no room is recovered at once, and leaves nothing else", async () => {
    const id = await unfinished();
    visit.room = 1_000;
    await expect(library.finish(id, ENDING)).rejects.toMatchObject({ code: "storage-full" });
    visit.room = Number.POSITIVE_INFINITY;
    await library.recover(id, null, identity, workers().ports);
    expect(same(await contents(id), WHOLE)).toBe(true);
    expect([...folderOf(id).entries.keys()]).toEqual(["1"]);
  });

  test("a recovery for which there is no room can be tried again at once, and leaves nothing else", async () => {
    const id = await unfinished();
    begin();
    visit.room = WHOLE.length / 2;
    await expect(library.recover(id, null, identity, workers().ports)).rejects.toMatchObject({ code: "storage-full" });
    expect([...folderOf(id).entries.keys()]).toEqual(["0"]);
  });

  test("a recovery for which there is no room loses nothing", async () => {
    const id = await unfinished();
    begin();
    visit.room = WHOLE.length / 2;
    await expect(library.recover(id, null, identity, workers().ports)).rejects.toMatchObject({ code: "storage-full" });
    visit.room = Number.POSITIVE_INFINITY;
    await library.recover(id, null, identity, workers().ports);
    expect(same(await contents(id), WHOLE)).toBe(true);
  });

  test("an import for which there is no room leaves nothing", async () => {
    visit.room = 50_000;
    const refused = library.importFile(new Blob([WHOLE]), DETAILS, NO_PREVIEW, identity, workers());
    await expect(refused).rejects.toMatchObject({ code: "storage-full" });
    expect(disk.root.entries.size).toBe(0);
  });

  test("a file that is in the vault is not imported over it", async () => {
    const id = await finished();
    const { file, sidecar } = await library.exportSealed(id, identity);
    await expect(library.importSealed(file, sidecar, "", identity, workers())).rejects.toMatchObject({ code: "busy" });
    expect(same(await contents(id), WHOLE)).toBe(true);
  });

  test.each(["..", "", "0".repeat(31), "G".repeat(32)])("%j is no file", async (id) => {
    await expect(library.open(id, identity)).rejects.toMatchObject({ code: "not-found" });
    await expect(library.remove(id)).rejects.toMatchObject({ code: "not-found" });
  });
});

function folderOf(id: string): Folder {
  return disk.root.entries.get(id) as Folder;
}

function bytesIn(id: string, name: string): Uint8Array {
  return ((folderOf(id).entries.get("0") as Folder).entries.get(name) as Content).bytes;
}

/** As `toEqual`, which takes long for megabytes. */
function same(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.from(a).equals(b);
}

/** Whether what is exported now opens for who has `by`. */
async function opens(id: string, by: string): Promise<boolean> {
  const { file, sidecar } = await library.exportSealed(id, identity);
  const opener = { identities: [by] };
  const ways = [openAgeFile(blobBytes(file), opener), openMeta(sidecar.subarray(ID_BYTES), [by])];
  const outcomes = await Promise.allSettled(ways);
  expect(new Set(outcomes.map(({ status }) => status)).size).toBe(1);
  return outcomes[0]?.status === "fulfilled";
}
