import { randomBytes } from "node:crypto";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Relay } from "@sealcast/testbed";
import { expectAccessible, STILL } from "./stage/accessible.ts";
import { digestOf, fileOf, filesOf, savedFile, sendFiles } from "./stage/files.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { test as base, expect } from "./stage/test.ts";
import { throughPort } from "./stage/through-relay.ts";
import { withoutPicker } from "./stage/vault.ts";

const MB = 1_000_000;
const SHOWN = { timeout: 30_000 };

interface Scene {
  folder: string;
}

const test = base.extend<Scene>({
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), "sealcast-files-"));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
});

test.setTimeout(180_000);

/** A file of random bytes. */
function madeFile(folder: string, name: string, bytes: number): string {
  const path = join(folder, name);
  const file = openSync(path, "w");
  for (let left = bytes; left > 0; left -= 10 * MB) writeSync(file, randomBytes(Math.min(left, 10 * MB)));
  closeSync(file);
  return path;
}

test("a file goes to everyone: who saves it has it byte for byte, who declines it gets nothing, and one to Ben alone shows nobody else", {
  tag: "@journey",
}, async ({ server, person, folder }) => {
  const [ada, ben, cleo] = [await person("Ada"), await person("Ben", { before: withoutPicker }), await person("Cleo")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await cleo.open(link);
  await Promise.all([ada.seesMoving("Ben"), ada.seesMoving("Cleo"), ben.seesMoving("Cleo")]);
  const path = madeFile(folder, "report.pdf", 3 * MB);
  await sendFiles(ada, [path]);
  for (const one of [ben, cleo]) await expect(offer(one, "report.pdf")).toContainText("(3 MB)", SHOWN);
  await cleo.page.getByRole("button", { name: "Decline report.pdf" }).click();
  const saved = await savedFile(ben, "report.pdf");
  expect(await digestOf(saved)).toBe(await digestOf(path));
  const sent = await fileOf(ada, "report.pdf");
  await expect(sent).toContainText(/Ben\s*Received/, SHOWN);
  await expect(sent).toContainText(/Cleo\s*Declined/);

  await sendFiles(ada, [{ name: "run me.exe", mimeType: "", buffer: Buffer.from("MZ") }], "Ben");
  await expect(offer(ben, "run me.exe")).toContainText("can run a program", SHOWN);
  expect(await (await filesOf(cleo)).textContent()).not.toContain("run me.exe");
  await expect(cleo.page.getByText("run me.exe")).toHaveCount(0);
});

test("200 MB and chat across a connection that is lost and comes back: the file, paused by both, arrives byte for byte, each message once, and the call goes on", async ({
  server,
  person,
  folder,
  expectedErrors,
}) => {
  test.setTimeout(300_000);
  expectedErrors.push(/ERR_INTERNET_DISCONNECTED/);
  const relay = await Relay.open({ delayMs: 0, lossPercent: 0 });
  const before = [throughPort(relay.portFor("near")), throughPort(relay.portFor("far"))] as const;
  const ada = await person("Ada", { before: before[0] });
  const ben = await person("Ben", { before: before[1] });
  await ben.page.addInitScript(withoutPicker);
  await ben.open(await ada.startCall(server.url));
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  const path = madeFile(folder, "film.mkv", 200 * MB);
  await sendFiles(ada, [path], "Ben");
  await expect(offer(ben, "film.mkv")).toBeVisible(SHOWN);
  const arrived = savedFile(ben, "film.mkv", 280_000);
  await expect(offer(ben, "film.mkv")).toHaveCount(0, SHOWN);
  const [sent, received] = [await fileOf(ada, "film.mkv"), await fileOf(ben, "film.mkv")];
  const progress = () => received.getByRole("progressbar").evaluate((bar) => (bar as HTMLProgressElement).value);
  await expect.poll(progress, SHOWN).toBeGreaterThan(5 * MB);

  await test.step("paused by who receives, then by who sends", async () => {
    await received.getByRole("button", { name: "Pause film.mkv" }).click();
    await expect(sent).toContainText("Paused by them", SHOWN);
    await received.getByRole("button", { name: "Resume film.mkv" }).click();
    await sent.getByRole("button", { name: "Pause film.mkv" }).click();
    await expect(received).toContainText("Paused by them", SHOWN);
    await sent.getByRole("button", { name: "Resume film.mkv" }).click();
  });

  await test.step("the connection is lost, and the server with it; both write meanwhile", async () => {
    await write(ada, "before");
    await write(ben, "since");
    for (const one of [ada, ben]) await expect(messages(one)).toHaveCount(2, SHOWN);
    relay.trouble = { delayMs: 0, lossPercent: 100 };
    await ben.context.setOffline(true);
    // At once: in the room Ben is taken for gone after some seconds.
    await Promise.all([write(ada, "are you there?"), write(ben, "nothing comes")]);
    await Promise.all([filesOf(ada), filesOf(ben)]);
    await expect(received).toContainText("The connection is lost.", SHOWN);
    await expect(sent).toContainText("The connection is lost.", SHOWN);
    expect(await progress()).toBeLessThan(200 * MB);
    relay.trouble = { delayMs: 0, lossPercent: 0 };
    await ben.context.setOffline(false);
    for (const one of [ada, ben]) {
      await expect(messages(one)).toHaveCount(4, SHOWN);
      for (const text of ["before", "since", "are you there?", "nothing comes"])
        await expect(messages(one).filter({ hasText: text })).toHaveCount(1);
      await expect(one.page.getByText("Not delivered")).toHaveCount(0, SHOWN);
      await filesOf(one);
    }
    await expect(received).not.toContainText("The connection is lost.", SHOWN);
  });

  await ada.seesMoving("Ben");
  expect(await digestOf(await arrived)).toBe(await digestOf(path));
  await expect(sent).toContainText("Received", SHOWN);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  relay.close();
});

test("a hostile sender: garbage is not saved, more than was asked for costs them the connection, and both are said", async ({
  server,
  person,
}) => {
  const ada = await person("Ada", { context: STILL, before: withoutPicker });
  const eve = await person("Eve", { context: STILL, before: spoilParts });
  await ada.open(await eve.startCall(server.url));
  await Promise.all([ada.seesMoving("Eve"), eve.seesMoving("Ada")]);
  await sendFiles(eve, [{ name: "gift.txt", mimeType: "text/plain", buffer: Buffer.alloc(MB, "gift") }]);
  await expect(offer(ada, "gift.txt")).toBeVisible(SHOWN);
  await expectAccessible(ada.page);
  await ada.page.getByRole("button", { name: "Save gift.txt" }).click(SHOWN);
  const [sent, received] = [await fileOf(eve, "gift.txt"), await fileOf(ada, "gift.txt")];
  await expect(received).toContainText("Stopped: a part of it was damaged.", SHOWN);
  await expect(sent).toContainText("Stopped: a part of it was damaged.", SHOWN);
  for (const { page } of [ada, eve]) await expectAccessible(page);
  await expect.poll(() => privateFiles(ada)).toEqual([]);
  await eve.page.evaluate(() => (globalThis as unknown as { sendUnasked: () => void }).sendUnasked());
  const closed = "The connection to Eve was closed: their app sends what no Sealcast app does.";
  await expect(ada.page.getByText(closed)).toBeAttached(SHOWN);
});

test("who leaves ends what they send, what came of it is removed, and what a page left behind is gone at the next start", async ({
  server,
  person,
  folder,
}) => {
  const ada = await person("Ada");
  const ben = await person("Ben", { before: withoutPicker });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ben.seesMoving("Ada");
  for (const name of ["first.bin", "second.bin"]) await sendFiles(ada, [madeFile(folder, name, 300 * MB)]);
  await ben.page.getByRole("button", { name: "Save first.bin" }).click(SHOWN);
  await ben.page.getByRole("button", { name: "Save second.bin" }).click(SHOWN);
  await expect.poll(() => privateFiles(ben), SHOWN).toHaveLength(2);
  await (await fileOf(ben, "first.bin")).getByRole("button", { name: "Stop receiving first.bin" }).click();
  await expect(await fileOf(ada, "first.bin")).toContainText("Cancelled by them", SHOWN);
  await expect.poll(() => privateFiles(ben), SHOWN).toHaveLength(1);

  await ben.page.reload();
  await expect(await fileOf(ada, "second.bin")).toContainText("Stopped: they are not connected any more.", SHOWN);
  await expect.poll(() => privateFiles(ben), SHOWN).toEqual([]);
});

/** Into the chat, which is beside the call and not beside the dialog of files. */
async function write({ page }: ChromiumPerson, text: string): Promise<void> {
  const message = page.getByRole("textbox", { name: "Message" });
  if (await page.getByRole("dialog", { name: "Files" }).isVisible()) await page.keyboard.press("Escape");
  if (!(await message.isVisible())) await page.getByRole("button", { name: /^Chat/ }).click();
  await message.fill(text);
  await page.keyboard.press("Enter");
}

function messages({ page }: ChromiumPerson) {
  return page.getByRole("log", { name: "Messages" }).getByRole("listitem");
}

function offer({ page }: ChromiumPerson, name: string) {
  return page.getByRole("status").filter({ hasText: `wants to send ${name}` });
}

/** Names of files that lie in the page's private file system; null where the app removes one meanwhile. */
function privateFiles({ page }: ChromiumPerson): Promise<string[] | null> {
  return page.evaluate(async () => {
    const names: string[] = [];
    const look = async (folder: FileSystemDirectoryHandle): Promise<void> => {
      for await (const [name, entry] of folder as unknown as AsyncIterable<[string, FileSystemHandle]>)
        if (entry.kind === "directory") await look(entry as FileSystemDirectoryHandle);
        else names.push(name);
    };
    const root = await navigator.storage.getDirectory();
    const received = await root.getDirectoryHandle("received-files").catch(() => null);
    try {
      if (received !== null) await look(received);
    } catch (error) {
      if ((error as DOMException).name === "NotFoundError") return null;
      throw error;
    }
    return names;
  });
}

/** Runs in the page before its own scripts: one byte of each part of a file is another, and a part can be sent that nobody asked for. */
function spoilParts(): void {
  const { send } = RTCDataChannel.prototype;
  const channels = new Set<RTCDataChannel>();
  RTCDataChannel.prototype.send = function (this: RTCDataChannel, data: unknown) {
    if (this.id === 1) channels.add(this);
    if (this.id === 1 && data instanceof Uint8Array && data[0] === 1) data[100] = (data[100] ?? 0) ^ 1;
    (send as (data: unknown) => void).call(this, data);
  };
  const part = new Uint8Array(16_384);
  part[0] = 1;
  Object.assign(globalThis, {
    sendUnasked: () => {
      for (const channel of channels) send.call(channel, part);
    },
  });
}
