import { utf8 } from "@sealcast/bytes";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { newIdentity, recipientOf } from "../shared/header.ts";
import { openIdentity, sealIdentity } from "../shared/recovery-key.ts";
import { newSigner } from "../shared/signer.cases.ts";
import { becomes, type Content, chunkPort, Disk, Visit } from "./opfs.cases.ts";
import { Vault } from "./vault.ts";

const PASSPHRASE = "a long passphrase";
const DETAILS = { title: "A call", kind: "video/mp4", people: [] };
const ENDING = { seconds: 3, kind: "video/mp4", people: ["Ann"], thumbnail: new Uint8Array() };
const NO_PREVIEW = { seconds: null, thumbnail: new Uint8Array() };
const CHEAP = { passes: 1, memoryKiB: 8 };

const signer = await newSigner();
let disk: Disk;
let visit: Visit;
let vault: Vault;

beforeEach(() => {
  disk = new Disk();
  begin();
});

afterEach(() => {
  visit.end();
  vi.unstubAllGlobals();
});

function begin(crashAfter = Number.POSITIVE_INFINITY): void {
  visit?.end();
  visit = new Visit(disk);
  visit.crashAfter = crashAfter;
  becomes(visit);
  vault = new Vault(visit.root, signer, () => undefined);
}

function put(name: string, text: string): void {
  (disk.root.entries.get(name) as Content).bytes = utf8(text);
}

const importOf = (contents: BlobPart, name: string) =>
  vault.importFile(new File([contents], name), null, NO_PREVIEW, [chunkPort()]);

describe("a vault's identity", () => {
  test("is taken over from a recovery key where there is none, and from that of another vault never", async () => {
    const [own, others] = [await newIdentity(), await newIdentity()];
    const key = await sealIdentity(own, PASSPHRASE, CHEAP);
    await vault.restore(` ${key}\n`, PASSPHRASE);
    expect([await vault.state(), await vault.recoveryKey()]).toEqual(["unlocked", key]);
    await expect(vault.restore(await sealIdentity(others, "x", CHEAP), "x")).rejects.toMatchObject({ code: "busy" });
    await expect(vault.setUp("x")).rejects.toMatchObject({ code: "busy" });
    expect([await vault.recoveryKey(), await vault.recipient()]).toEqual([key, await recipientOf(own)]);
  });

  test("gets another passphrase with another key of it", async () => {
    const identity = await newIdentity();
    await vault.restore(await sealIdentity(identity, "before", CHEAP), "before");
    await vault.restore(await sealIdentity(identity, "after", CHEAP), "after");
    begin();
    await expect(vault.unlock("before")).rejects.toMatchObject({ code: "wrong-passphrase" });
    expect(await vault.state()).toBe("locked");
    await vault.unlock("after");
  });

  test("is there with its recovery key, or not at all, after a crash at any moment of setting it up", async () => {
    const key = await sealIdentity(await newIdentity(), PASSPHRASE, CHEAP);
    for (let crashAfter = 0, isDone = false; !isDone; crashAfter++) {
      disk = new Disk();
      begin(crashAfter);
      await vault.restore(key, PASSPHRASE).catch(() => undefined);
      isDone = !visit.isOver;
      begin();
      if ((await vault.state()) === "empty") expect(isDone).toBe(false);
      else await openIdentity(await vault.recoveryKey(), PASSPHRASE);
    }
  });

  test("puts its recipient right where someone put theirs: what was made for them meanwhile opens for nobody here", async () => {
    const identity = await newIdentity();
    await vault.restore(await sealIdentity(identity, PASSPHRASE, CHEAP), PASSPHRASE);
    begin();
    put("recipient", await recipientOf(await newIdentity()));
    const planted = await vault.create(DETAILS);
    await vault.finish(planted, ENDING);
    await vault.unlock(PASSPHRASE);
    expect(await vault.recipient()).toBe(await recipientOf(identity));
    const id = await vault.create(DETAILS);
    await vault.finish(id, ENDING);
    begin();
    await vault.unlock(PASSPHRASE);
    expect(Object.fromEntries((await vault.list()).map((entry) => [entry.id, entry.state]))).toEqual({
      [planted]: "damaged",
      [id]: "finished",
    });
  });
});

describe("a locked vault", () => {
  test("gives nothing but what is no secret, and takes recordings", async () => {
    await vault.restore(await sealIdentity(await newIdentity(), PASSPHRASE, CHEAP), PASSPHRASE);
    begin();
    const id = await vault.create(DETAILS);
    const refused = [
      vault.list(),
      vault.open(id),
      vault.recover(id, null, [chunkPort()]),
      importOf("x", "x"),
      (async () => vault.rename(id, "x"))(),
      (async () => vault.share(id, "x", "y"))(),
      (async () => vault.unshare(id, "y"))(),
      (async () => vault.reseal(id, []))(),
      vault.exportSealed(id),
    ];
    for (const outcome of await Promise.allSettled(refused))
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "locked" } });
    await vault.append(id, new Uint8Array(10));
    await vault.finish(id, ENDING);
  });
});

describe("an import", () => {
  beforeEach(async () => {
    await vault.restore(await sealIdentity(await newIdentity(), PASSPHRASE, CHEAP), PASSPHRASE);
  });

  test.each([
    ["a page", "<!doctype html><script>1</script>"],
    ["an image that holds a script", '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'],
    ["an image that holds a script, with a preamble", '<?xml version="1.0"?><svg/>'],
    ["nothing", ""],
  ])("of %s is refused, whatever its name", async (_, contents) => {
    await expect(importOf(contents, "holiday.png")).rejects.toMatchObject({ code: "unknown-kind" });
    expect(await vault.list()).toEqual([]);
  });

  test.each(["age-encryption.org/v1\n-> x", "age-encryption.org/v1\n", "-----BEGIN AGE ENCRYPTED FILE-----\n!"])(
    "of %j, which is no whole age file, is refused",
    async (contents) => {
      await expect(importOf(contents, "x.age")).rejects.toMatchObject({ code: "not-age" });
      expect(await vault.list()).toEqual([]);
    },
  );

  test("with a signature file that is larger than any is refused before it is read", async () => {
    const sidecar = { size: 256 * 1024 * 1024 + 1 } as File;
    const file = new File(["age-encryption.org/v1\n"], "x.age");
    await expect(vault.importFile(file, sidecar, NO_PREVIEW, [])).rejects.toMatchObject({ code: "too-large" });
  });

  test("has a title of what can be seen of its name", async () => {
    const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
    await importOf(png, "\u202Egnp.\x1b.png");
    expect(await vault.list()).toMatchObject([{ title: "gnp." }]);
  });
});

describe("a recording", () => {
  beforeEach(async () => {
    await vault.restore(await sealIdentity(await newIdentity(), PASSPHRASE, CHEAP), PASSPHRASE);
  });

  test("is read by the handle that opening it gave, until that is closed", async () => {
    const id = await vault.create(DETAILS);
    await vault.append(id, utf8("some sound"));
    await vault.finish(id, ENDING);
    const [one, other] = [await vault.open(id), await vault.open(id)];
    expect(one).toMatchObject({ entry: { id, title: "A call" } });
    expect(other.handle).not.toBe(one.handle);
    expect([await vault.size(one.handle), await vault.read(one.handle, 5, 5)]).toEqual([10, utf8("sound")]);
    expect(await vault.read(one.handle, 0, 64 * 1024 * 1024)).toEqual(utf8("some sound"));
    await vault.close(one.handle);
    await expect(vault.size(one.handle)).rejects.toMatchObject({ code: "not-found" });
    expect(await vault.read(other.handle, 0, 4)).toEqual(utf8("some"));
    await vault.close(other.handle);
    await vault.close(other.handle);
  });

  test("is signed by who is said to sign, after that was asked for and its bytes given away", async () => {
    const asked = await vault.signer();
    structuredClone(asked, { transfer: [asked.buffer as ArrayBuffer] });
    const id = await vault.create(DETAILS);
    await vault.append(id, utf8("some sound"));
    await vault.finish(id, ENDING);
    expect((await vault.list())[0]?.signer).toEqual(await vault.signer());
    expect(await vault.signer()).toHaveLength(32);
  });

  test("keeps 100 names of people at most, and 100 signs of each", async () => {
    const id = await vault.create(DETAILS);
    await vault.finish(id, { ...ENDING, people: Array.from({ length: 300 }, () => "n".repeat(300)) });
    const [{ people } = { people: [] }] = await vault.list();
    expect([people.length, ...new Set(people.map(({ length }) => length))]).toEqual([100, 100]);
  });

  test("is gone once it was removed or given up", async () => {
    const [finished, begun] = [await vault.create(DETAILS), await vault.create(DETAILS)];
    await vault.finish(finished, ENDING);
    await vault.remove(finished);
    await vault.cancel(begun);
    expect(await vault.list()).toEqual([]);
  });
});

test("no more than 64 MiB is read at a time, and nothing of what was closed", async () => {
  await expect((async () => vault.read(1, 0, 64 * 1024 * 1024 + 1))()).rejects.toMatchObject({ code: "too-large" });
  await expect((async () => vault.read(1, 0, Number.NaN))()).rejects.toMatchObject({ code: "too-large" });
  await expect((async () => vault.read(1, 0, 1))()).rejects.toMatchObject({ code: "not-found" });
});
