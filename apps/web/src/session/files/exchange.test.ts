import { fileChunkBytes, fileChunks } from "@sealcast/media";
import { PART_BYTES } from "@sealcast/network";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { newOffer } from "./details.ts";
import { type Connection, connect, Page } from "./exchange.cases.ts";
import { MAX_FILE_BYTES, MOST_OPEN_FILES } from "./view.ts";

const CHUNK = fileChunkBytes(Number.MAX_SAFE_INTEGER, 0);
const PARTS = 8;
const SHOWN = { timeout: 20_000 };

function fileOf(size: number, name = "report.pdf"): File {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 100) bytes[at] = (at * 31 + (at >> 8)) & 255;
  return new File([bytes], name);
}

const stateAt = (page: Page) => (page.sent ?? page.received)?.people.map(({ state }) => state);
const shows = (page: Page, ...states: string[]) => vi.waitFor(() => expect(stateAt(page)).toEqual(states), SHOWN);
async function isSame(one: Blob | null, other: Blob): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((file) => file?.arrayBuffer()));
  return a !== undefined && b !== undefined && Buffer.from(a).equals(Buffer.from(b));
}

/** Offers it, and waits until each of them sees it. */
async function offered(from: Page, file: File, ...to: Page[]): Promise<string> {
  await from.sending.offer(
    file,
    "all",
    to.map(({ name }) => name),
  );
  const offer = from.offers.at(-1);
  if (offer === undefined) throw new Error("nothing was offered");
  for (const page of to) {
    page.receiving.offered(from.name, offer);
    await vi.waitFor(() => expect(page.receiving.view.map(({ id }) => id)).toContain(from.inbox(offer.id)), SHOWN);
  }
  return offer.id;
}

let ann: Page;
let ben: Page;
let connection: Connection;
beforeEach(() => {
  [ann, ben] = [new Page("Ann"), new Page("Ben")];
  connection = connect(ann, ben);
});

describe("between two", () => {
  test("nothing comes before the offer is accepted; then the file comes, byte for byte", async () => {
    const file = fileOf(5 * CHUNK + 17);
    const id = await offered(ann, file, ben);
    expect(ben.received).toMatchObject({ name: "report.pdf", size: file.size, people: [{ name: "Ann" }] });
    expect([connection.of(ann).parts.length, ann.work.sealed]).toEqual([0, []]);
    await ben.receiving.save(ann.inbox(id));
    await shows(ben, "done");
    await shows(ann, "done");
    const received = ben.receiving.file(ann.inbox(id));
    expect(received?.name).toBe("report.pdf");
    expect(await isSame(received, file)).toBe(true);
    expect(ann.work.dropped).toContain(id);
    expect(ben.breaches).toBe(0);
  });

  test("an empty file comes too", async () => {
    await ben.receiving.save(ann.inbox(await offered(ann, fileOf(0), ben)));
    await shows(ben, "done");
  });

  test("one that is declined is never read", async () => {
    ben.receiving.decline(ann.inbox(await offered(ann, fileOf(CHUNK), ben)));
    await shows(ann, "declined");
    expect([connection.of(ann).parts, ann.work.sealed]).toEqual([[], []]);
  });

  test("after a lost connection it goes on with the next chunk that is needed, not from the beginning", async () => {
    const file = fileOf(40 * CHUNK);
    const id = await offered(ann, file, ben);
    connection.of(ann).at.set(25 * PARTS + 3, connection.cut);
    await ben.receiving.save(ann.inbox(id));
    await shows(ben, "waiting");
    expect(stateAt(ann)).toEqual(["waiting"]);
    const again = connect(ann, ben);
    await shows(ben, "done");
    expect(again.of(ann).parts[0]?.chunk).toBe(25);
    expect(await isSame(ben.receiving.file(ann.inbox(id)), file)).toBe(true);
    expect(ben.breaches).toBe(0);
  });

  test("where the disk is slow, and paused meanwhile, it goes on once there is room", async () => {
    const file = fileOf(50 * CHUNK);
    const id = await offered(ann, file, ben);
    const way = connection.of(ann);
    ben.work.isHeld = true;
    // All that was asked for has come, and none of it is written.
    way.at.set(32 * PARTS, () => {
      ben.receiving.pause(ann.inbox(id), true);
      ben.receiving.pause(ann.inbox(id), false);
      ben.work.go();
    });
    await ben.receiving.save(ann.inbox(id));
    await shows(ben, "done");
    expect(await isSame(ben.receiving.file(ann.inbox(id)), file)).toBe(true);
    expect(ben.breaches).toBe(0);
  });

  test("what is said while there is no connection is said when it is back", async () => {
    const id = await offered(ann, fileOf(10 * CHUNK), ben);
    await ben.receiving.save(ann.inbox(id));
    connection.cut();
    ben.receiving.cancel(ann.inbox(id));
    connect(ann, ben);
    await shows(ann, "cancelled-there");
  });

  test("both ends can pause and go on", async () => {
    const file = fileOf(20 * CHUNK);
    const id = await offered(ann, file, ben);
    const way = connection.of(ann);
    way.at.set(3 * PARTS + 1, () => ben.receiving.pause(ann.inbox(id), true));
    await ben.receiving.save(ann.inbox(id));
    await shows(ann, "paused-there");
    way.at.set(10 * PARTS + 1, () => ann.sending.pause(id, true));
    ben.receiving.pause(ann.inbox(id), false);
    await shows(ben, "paused-there");
    const sent = way.parts.length;
    for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done));
    expect(way.parts.length).toBe(sent);
    ann.sending.pause(id, false);
    await shows(ben, "done");
    expect(await isSame(ben.receiving.file(ann.inbox(id)), file)).toBe(true);
    expect(ben.breaches).toBe(0);
  });

  test("both ends can cancel, and nothing of it is kept", async () => {
    const first = await offered(ann, fileOf(10 * CHUNK), ben);
    await ben.receiving.save(ann.inbox(first));
    ann.sending.cancel(first);
    await shows(ben, "cancelled-there");
    expect(ben.work.dropped).toContain(ann.inbox(first));
    ann.sending.dismiss(first);
    ben.receiving.dismiss(ann.inbox(first));
    const second = await offered(ann, fileOf(10 * CHUNK), ben);
    await ben.receiving.save(ann.inbox(second));
    ben.receiving.cancel(ann.inbox(second));
    await shows(ann, "cancelled-there");
    expect(ben.work.dropped).toContain(ann.inbox(second));
    expect(ben.breaches).toBe(0);
  });

  test("a file that changes while it is sent ends with a word at both", async () => {
    const id = await offered(ann, fileOf(10 * CHUNK), ben);
    ann.work.hasChanged = true;
    await ben.receiving.save(ann.inbox(id));
    await shows(ann, "changed");
    await shows(ben, "changed");
  });

  test.each(["full", "damaged", "unwritable"] as const)(
    "a receiver that cannot go on (%s) ends it with a word at both",
    async (failure) => {
      const id = await offered(ann, fileOf(3 * CHUNK), ben);
      ben.work.failure = failure;
      await ben.receiving.save(ann.inbox(id));
      await shows(ben, failure);
      await shows(ann, failure);
      expect(ben.work.dropped).toContain(ann.inbox(id));
    },
  );

  test("too little space is said before anything comes, and the offer stands", async () => {
    const id = await offered(ann, fileOf(2 * CHUNK), ben);
    ben.freeBytes = CHUNK;
    await ben.receiving.save(ann.inbox(id));
    expect(ben.received).toMatchObject({ lacksSpace: true, people: [{ state: "offered" }] });
    ben.freeBytes = 2 * CHUNK;
    await ben.receiving.save(ann.inbox(id));
    await shows(ben, "done");
  });

  test("shows under the name that the other end has now, not the one that they had when it was offered", async () => {
    ben.names.set("Ann", "Cleo");
    ann.names.set("Ben", "Cleo");
    await offered(ann, fileOf(1), ben);
    ben.names.set("Ann", "Dora");
    ann.names.set("Ben", "Dora");
    expect([ben, ann].map((page) => (page.received ?? page.sent)?.people)).toMatchObject([
      [{ identity: "Ann", name: "Dora" }],
      [{ identity: "Ben", name: "Dora" }],
    ]);
  });

  test("who leaves ends it", async () => {
    const id = await offered(ann, fileOf(10 * CHUNK), ben);
    connection.of(ann).at.set(PARTS, connection.cut);
    await ben.receiving.save(ann.inbox(id));
    await shows(ben, "waiting");
    ann.sending.left(() => true);
    expect(stateAt(ann)).toEqual(["waiting"]);
    ann.sending.left((identity) => identity !== "Ben");
    ben.receiving.left((identity) => identity !== "Ann");
    expect([stateAt(ann), stateAt(ben)]).toEqual([["left"], ["left"]]);
  });
});

test("to all: read and sealed once, to each at their own speed, and one who declines keeps nobody from it", async () => {
  const [cleo, dora] = [new Page("Cleo"), new Page("Dora")];
  connect(ann, cleo);
  connect(ann, dora);
  const file = fileOf(20 * CHUNK);
  const id = await offered(ann, file, ben, cleo, dora);
  dora.receiving.decline(ann.inbox(id));
  await Promise.all([ben.receiving.save(ann.inbox(id)), cleo.receiving.save(ann.inbox(id))]);
  await shows(ann, "done", "done", "declined");
  expect(ann.work.sealed.length).toBe(20);
  for (const page of [ben, cleo]) expect(await isSame(page.receiving.file(ann.inbox(id)), file)).toBe(true);
});

test("a receiver's second tab that wants a file which the first one has, or declined, is told that it does not come", async () => {
  const second = new Page("Ben");
  connect(ann, second);
  const id = await offered(ann, fileOf(CHUNK), ben, second);
  await ben.receiving.save(ann.inbox(id));
  await shows(ann, "done");
  await second.receiving.save(ann.inbox(id));
  await shows(second, "left");
  expect([stateAt(ann), stateAt(ben)]).toEqual([["done"], ["done"]]);
  const other = await offered(ann, fileOf(CHUNK, "other.pdf"), ben, second);
  ben.receiving.decline(ann.inbox(other));
  await vi.waitFor(() => expect(ann.sending.view[1]?.people[0]?.state).toBe("declined"), SHOWN);
  await second.receiving.save(ann.inbox(other));
  await vi.waitFor(() => expect(second.receiving.view[1]?.people[0]?.state).toBe("left"), SHOWN);
});

test("a sender's other tab, which knows nothing of the file, ends nothing, whichever is asked first", async () => {
  connection.cut();
  const [other, later] = [new Page("Ann"), new Page("Ann")];
  connect(other, ben);
  connection = connect(ann, ben);
  connect(later, ben);
  const file = fileOf(20 * CHUNK);
  const id = await offered(ann, file, ben);
  await ben.receiving.save(ann.inbox(id));
  await shows(ben, "done");
  await shows(ann, "done");
  expect(await isSame(ben.receiving.file(ann.inbox(id)), file)).toBe(true);
});

test("of a sender with two tabs, it waits for the one that has the file, and goes on once that is back", async () => {
  connect(new Page("Ann"), ben);
  const id = await offered(ann, fileOf(CHUNK), ben);
  connection.cut();
  await ben.receiving.save(ann.inbox(id));
  await shows(ben, "waiting");
  connect(ann, ben);
  await shows(ben, "done");
});

test("of a sender whose other tab came after the offer, it waits for the one that has the file", async () => {
  const id = await offered(ann, fileOf(CHUNK), ben);
  const other = new Page("Ann");
  const heard = vi.spyOn(other.sending, "heard");
  connect(other, ben);
  await vi.waitFor(() => expect(heard).toHaveBeenCalled(), SHOWN);
  connection.cut();
  await ben.receiving.save(ann.inbox(id));
  ben.receiving.remind();
  connect(ann, ben);
  await shows(ben, "done");
});

describe("more than may be", () => {
  test("is not offered: files that are too large, too many, or for nobody", async () => {
    const large = { name: "large", size: MAX_FILE_BYTES + 1 } as File;
    await ann.sending.offer(large, "all", [ben.name]);
    await ann.sending.offer(fileOf(1), "all", []);
    expect(ann.offers).toEqual([]);
    for (let count = 0; count <= MOST_OPEN_FILES; count++) await ann.sending.offer(fileOf(1), "all", [ben.name]);
    expect(ann.offers.length).toBe(MOST_OPEN_FILES);
  });

  test("a member that floods offers has as many as one may have, and others have theirs", async () => {
    const { offer } = await newOffer(fileOf(1));
    const ids = Array.from({ length: 500 }, (_, at) => `${at}`.padStart(22, "x"));
    for (const id of ids) ben.receiving.offered(ann.name, { ...offer, id });
    expect(ids.filter((id) => ben.receiving.has(ann.inbox(id))).length).toBe(MOST_OPEN_FILES);
    const cleo = new Page("Cleo");
    connect(ben, cleo);
    await offered(cleo, fileOf(1, "mine.txt"), ben);
    expect(ben.receiving.view.map(({ name }) => name)).toEqual(["mine.txt"]);
  });

  test("ended ones that stay listed are few", async () => {
    for (let count = 0; count < 40; count++) ben.receiving.decline(ann.inbox(await offered(ann, fileOf(1), ben)));
    expect(ben.receiving.view.length).toBe(30);
  });

  test("one sender's ended ones push out no other's", async () => {
    const cleo = new Page("Cleo");
    connect(ben, cleo);
    const key = cleo.inbox(await offered(cleo, fileOf(1, "mine.txt"), ben));
    ben.receiving.decline(key);
    for (let count = 0; count < 33; count++) ben.receiving.decline(ann.inbox(await offered(ann, fileOf(1), ben)));
    expect(ben.receiving.has(key)).toBe(true);
    expect(ben.receiving.view.length).toBe(31);
  });

  test("of all senders 60 stay listed, and who sent most loses the oldest", async () => {
    const senders = Array.from({ length: 3 }, (_, at) => new Page(`Sender ${at}`));
    for (const sender of senders) connect(ben, sender);
    const end = async (sender: Page) => {
      const key = sender.inbox(await offered(sender, fileOf(1), ben));
      ben.receiving.decline(key);
      return key;
    };
    const first = await end(ann);
    for (const sender of senders) for (let count = 0; count < 21; count++) await end(sender);
    expect([ben.receiving.view.length, ben.receiving.has(first)]).toEqual([60, true]);
  });

  test("an offer of 10^15 bytes, or sealed by another key, is nothing that shows", async () => {
    const way = connection.of(ben);
    for (const offer of [await newOffer({ name: "vast", size: 1e15 }), await newOffer(fileOf(1))]) {
      ben.receiving.offered(ann.name, offer.offer);
      const sealed = offer.sealed.replace(/..$/, "xx");
      ben.receiving.heard(way, { type: "details", id: offer.offer.id, sealed });
      await vi.waitFor(() => expect(ben.receiving.has(ann.inbox(offer.offer.id))).toBe(false), SHOWN);
    }
    expect(ben.receiving.view).toEqual([]);
  });

  test("a member that offers a file under another's number keeps nobody from that one", async () => {
    const file = fileOf(CHUNK);
    const { offer } = await newOffer(file);
    await ann.sending.offer(file, "all", [ben.name]);
    const id = ann.offers[0]?.id ?? "";
    ben.receiving.offered("Eve", { ...offer, id });
    ben.receiving.offered(ann.name, ann.offers[0] ?? offer);
    await vi.waitFor(() => expect(ben.receiving.view.map(({ people }) => people[0]?.name)).toEqual(["Ann"]), SHOWN);
  });

  test("details from anybody but the sender count for nothing", async () => {
    const cleo = new Page("Cleo");
    const other = connect(ben, cleo);
    const { offer, sealed } = await newOffer(fileOf(1));
    ben.receiving.offered("Elsewhere", offer);
    ben.receiving.heard(other.of(ben), { type: "details", id: offer.id, sealed });
    await new Promise((done) => setTimeout(done));
    expect(ben.receiving.view).toEqual([]);
  });
});

describe("parts that must not come", () => {
  /** Ben has asked for a file of ten chunks: the slot, and the link at which he hears. */
  async function asked() {
    const id = await offered(ann, fileOf(10 * CHUNK), ben);
    ann.sending.pause(id, true);
    await ben.receiving.save(ann.inbox(id));
    return { way: connection.of(ben), id, slot: 0 };
  }
  const bytes = new Uint8Array(PART_BYTES);

  test.each([
    ["of another chunk", { chunk: 1 }],
    ["of another part", { part: 1 }],
    ["that is short", { bytes: bytes.subarray(1) }],
    ["of what was not asked for", { slot: 7 }],
  ])("are refused: one %s", async (_, change) => {
    const { way, slot } = await asked();
    expect(ben.receiving.part(way, { slot, chunk: 0, part: 0, bytes, ...change })).toBe(false);
  });

  test("are refused: more than was offered", async () => {
    const { way, slot } = await asked();
    const chunks = fileChunks(10 * CHUNK);
    for (let chunk = 0; chunk < chunks; chunk++)
      for (let part = 0; part < 8; part++) expect(ben.receiving.part(way, { slot, chunk, part, bytes })).toBe(true);
    expect(ben.receiving.part(way, { slot, chunk: chunks, part: 0, bytes })).toBe(false);
  });

  test("are refused: anything where nothing was accepted", async () => {
    await offered(ann, fileOf(10 * CHUNK), ben);
    expect(ben.receiving.part(connection.of(ben), { slot: 0, chunk: 0, part: 0, bytes })).toBe(false);
  });

  test("garbage in a part's place costs the sender the transfer, and nothing of it is written", async () => {
    const { way, slot, id } = await asked();
    for (let part = 0; part < 8; part++) ben.receiving.part(way, { slot, chunk: 0, part, bytes: bytes.map(() => 9) });
    await shows(ben, "damaged");
    expect(ben.work.received.get(ann.inbox(id))?.chunks).toEqual([]);
  });
});

describe("a receiver that asks for too much", () => {
  test("gets what is in the file, and so much ahead", async () => {
    const id = await offered(ann, fileOf(100 * CHUNK), ben);
    const way = connection.of(ann);
    for (const [next, upTo] of [
      [0, 100],
      [3, 2],
      [90, 101],
    ] as const)
      ann.sending.heard(way, { type: "want", id, slot: 1, next, upTo });
    expect(stateAt(ann)).toEqual(["offered"]);
    expect(ann.work.sealed).toEqual([]);
  });

  test("is served no more once it began from the start hundreds of times", async () => {
    const id = await offered(ann, fileOf(CHUNK), ben);
    const way = connection.of(ann);
    for (let slot = 0; slot < 600; slot++) ann.sending.heard(way, { type: "want", id, slot, next: 0, upTo: 1 });
    expect(stateAt(ann)).toEqual(["stopped"]);
  });

  test("and one to whom it was not offered gets nothing, not even its name", async () => {
    const id = await offered(ann, fileOf(CHUNK), ben);
    const cleo = new Page("Cleo");
    const way = connect(ann, cleo).of(ann);
    const said = vi.spyOn(way, "say");
    ann.sending.heard(way, { type: "ask", id });
    ann.sending.heard(way, { type: "want", id, slot: 0, next: 0, upTo: 1 });
    expect(said.mock.calls.map(([word]) => word.type)).toEqual(["end", "end"]);
  });
});
