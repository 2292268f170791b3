import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expectAccessible, STILL } from "./stage/accessible.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { writePlainVideo } from "./stage/plain-video.ts";
import { expect, test } from "./stage/test.ts";
import { PASSPHRASE, picture, VaultPage, vast, video, withoutPicker } from "./stage/vault.ts";

const DOWNLOADS = { before: withoutPicker };

test("a vault is set up once its recovery was tried, and opens with its passphrase only", { tag: "@journey" }, async ({
  server,
  person,
}) => {
  const ada = await person("Ada");
  const vault = new VaultPage(ada);
  await ada.page.goto(server.url);
  await ada.page.getByRole("link", { name: "Recordings" }).click();

  await test.step("a passphrase is long enough and typed twice", async () => {
    await vault.choose("too short");
    await expect(ada.page.getByText("Too short: at least 12 characters.")).toBeVisible();
    await ada.page.getByLabel("Passphrase", { exact: true }).fill(PASSPHRASE);
    await expect(ada.page.getByText("Strong", { exact: false })).toBeVisible();
    await ada.page.getByLabel("Passphrase, again").fill("another passphrase");
    await vault.button("Set up vault").click();
    await expect(ada.page.getByRole("alert")).toContainText("two different passphrases");
    await vault.choose(PASSPHRASE);
  });

  const key = await vault.keepKey();
  expect(readFileSync(key, "utf8")).toMatch(/^Recovery key of a Sealcast vault.*\n\nSEALCAST-VAULT-2\./);

  await test.step("before the trial it is not done, after another visit either", async () => {
    await expect(vault.heading("Try it once")).toBeFocused();
    await ada.page.reload();
    await vault.unlock(PASSPHRASE);
    await expect(vault.heading("Keep your recovery key")).toBeVisible();
    await vault.button("Continue").click();
    await vault.tryOut(key, "not the passphrase");
    await expect(ada.page.getByRole("alert")).toContainText("do not belong together");
    await ada.page.getByRole("textbox", { name: "Recovery key" }).fill("SEALCAST");
    await vault.button("Finish").click();
    await expect(ada.page.getByRole("alert")).toContainText("no recovery key");
    const mistyped = readFileSync(key, "utf8").replace(/.(?=\n$)/, (last) => (last === "A" ? "B" : "A"));
    await ada.page.getByRole("textbox", { name: "Recovery key" }).fill(mistyped);
    await vault.button("Finish").click();
    await expect(ada.page.getByRole("alert")).toContainText("has a typo");
    await vault.tryOut(key, PASSPHRASE);
    await expect(vault.heading("Recordings")).toBeVisible();
  });

  await test.step("locked, it says of another passphrase that it does not open it", async () => {
    await vault.button("Lock").click();
    await expect(ada.page.getByLabel("Passphrase")).toBeFocused();
    await vault.unlock("not the passphrase");
    await expect(ada.page.getByRole("alert")).toContainText("does not open this vault");
    await expect(ada.page.getByLabel("Passphrase")).toBeFocused();
    await vault.unlock(PASSPHRASE);
    await expect(ada.page.getByText("Nothing is in the vault yet")).toBeVisible();
  });

  await test.step("a vault that is lost comes back from its recovery key", async () => {
    await ada.page.goto(server.url);
    await ada.page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      await root.removeEntry("vault", { recursive: true });
    });
    await ada.page.goto(`${server.url}/vault`);
    await vault.button("Restore from a recovery key").click();
    await ada.page.getByLabel("Recovery key file").setInputFiles(key);
    await ada.page.getByLabel("Passphrase", { exact: true }).fill(PASSPHRASE);
    await vault.button("Restore").click();
    await expect(vault.heading("Recordings")).toBeVisible();
  });
});

test("what is imported is found, played, renamed and deleted", async ({ server, person }) => {
  const ada = await person("Ada", { before: keepUrls });
  const vault = await VaultPage.setUp(ada, server.url);
  const text = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") };
  await vault.choosing(picture("Forêt.jpg"), text, vast("Vast.png"), await video(ada, "A walk.webm"));
  await expect(vault.entry("A walk")).toContainText("Signed by you");
  await expect(vault.entry("A walk")).toContainText("0:04");
  for (const title of ["Forêt", "A walk"]) {
    const thumbnail = vault.entry(title).locator("img");
    await expect.poll(() => thumbnail.evaluate((of: HTMLImageElement) => of.naturalWidth)).toBe(320);
  }
  const refused = ada.page.getByRole("list", { name: "Imports" }).getByRole("listitem", { name: "notes.txt" });
  await expect(refused.getByRole("alert")).toContainText("not an image, a sound or a video");
  await refused.getByRole("button", { name: "Dismiss" }).click();
  await expect(refused).toHaveCount(0);

  await test.step("the image and the video play, and what played them is gone afterwards", async () => {
    const play = vault.entry("Forêt").getByRole("button", { name: "Play" });
    await play.click();
    const image = vault.dialog.getByRole("img", { name: "Forêt" });
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(640);
    const url = (await image.getAttribute("src")) ?? "";
    expect(await isLive(ada, url)).toBe(true);
    await vault.close();
    await expect(play).toBeFocused();
    // The browser moves the focus before the page has taken the image out.
    await expect.poll(() => isLive(ada, url)).toBe(false);
    await vault.entry("A walk").getByRole("button", { name: "Play" }).click();
    const element = vault.dialog.getByLabel("Recording", { exact: true });
    await expect.poll(() => element.evaluate((of: HTMLVideoElement) => of.currentTime)).toBeGreaterThan(0.5);
    await vault.close();
  });

  await test.step("an image of too many pixels is kept, and not shown", async () => {
    await expect(vault.entry("Vast").locator("img")).toHaveCount(0);
    await vault.entry("Vast").getByRole("button", { name: "Play" }).click();
    await expect(vault.dialog.getByRole("alert")).toContainText("too large for this browser to show");
    await expect(vault.dialog.locator("img")).toHaveCount(0);
    await vault.close();
  });

  await test.step("search finds by title, whatever the accents", async () => {
    await ada.page.getByLabel("Search").fill("FORET");
    await expect(vault.entry("A walk")).toHaveCount(0);
    await expect(vault.entry("Forêt")).toBeVisible();
    await ada.page.getByLabel("Search").fill("nothing like it");
    await expect(ada.page.getByText("Nothing found")).toBeVisible();
    await ada.page.getByLabel("Search").fill("");
  });

  await test.step("a title is changed in its place, and kept", async () => {
    const rename = vault.entry("Forêt").getByRole("button", { name: "Rename" });
    await rename.click();
    await vault.entry("Forêt").getByRole("textbox", { name: "Title" }).fill("Black Forest");
    await ada.page.keyboard.press("Enter");
    await expect(vault.entry("Black Forest").getByRole("button", { name: "Rename" })).toBeFocused();
    await vault.button("Lock").click();
    await vault.unlock(PASSPHRASE);
    await expect(vault.entry("Black Forest")).toBeVisible();
  });

  await test.step("deleted, it is gone from the disk", async () => {
    await vault.entry("Black Forest").getByRole("button", { name: "Delete" }).click();
    await expect(vault.dialog).toContainText("key is erased");
    await vault.dialog.getByRole("button", { name: "Delete" }).click();
    await expect(vault.entry("Black Forest")).toHaveCount(0);
    await expect(vault.heading("Recordings")).toBeFocused();
    expect(await files(ada)).toHaveLength(2);
  });
});

test("a file that was changed on the disk says so, and shows nothing", async ({ server, person }) => {
  const ada = await person("Ada");
  const vault = await VaultPage.setUp(ada, server.url);
  await vault.import("Holiday", picture("Holiday.jpg"));
  await change(ada, "payload");
  await vault.entry("Holiday").getByRole("button", { name: "Play" }).click();
  await expect(vault.dialog.getByRole("alert")).toContainText("Playback stopped");
  await expect(vault.dialog.getByRole("img")).toHaveCount(0);
  await vault.close();
  await change(ada, "meta.age");
  await vault.button("Lock").click();
  await vault.unlock(PASSPHRASE);
  await expect(vault.entry("Damaged file")).toContainText("changed or damaged on the disk");
  await expect(vault.entry("Damaged file").getByRole("button")).toHaveText(["Delete"]);
});

test("a recording plays and seeks; at a part that was changed it stops, and says so", { tag: "@journey" }, async ({
  server,
  person,
}) => {
  const ada = await person("Ada", { lines: 720 });
  const vault = await VaultPage.setUp(ada, server.url);
  await vault.import("A walk", await video(ada, "A walk.mp4"));
  const play = vault.entry("A walk").getByRole("button", { name: "Play" });
  const element = vault.dialog.getByLabel("Recording", { exact: true });
  const time = () => element.evaluate((of: HTMLVideoElement) => of.currentTime);
  await play.click();
  await expect.poll(time).toBeGreaterThan(0.2);
  expect(await element.evaluate((of: HTMLVideoElement) => of.duration)).toBeGreaterThan(3);
  await element.evaluate((of: HTMLVideoElement) => {
    of.currentTime = 3;
  });
  await expect.poll(time).toBeGreaterThan(3);
  await vault.close();
  await change(ada, "payload");
  await play.click();
  await expect(vault.dialog.getByRole("alert")).toContainText("Playback stopped");
  await expect(element).toHaveCount(0);
});

test("a sealed copy comes back with its signature, and without it nobody vouches for it", async ({
  server,
  person,
}) => {
  const ada = await person("Ada", DOWNLOADS);
  const vault = await VaultPage.setUp(ada, server.url);
  await vault.import("Holiday", picture("Holiday.jpg"));
  const { copy, signature } = await vault.exported("Holiday");
  expect(copy.buffer.toString("latin1")).toMatch(/^age-encryption.org\/v1\n/);
  expect(copy.buffer.includes(picture("").buffer.subarray(1000, 1100))).toBe(false);
  await vault.choosing(copy, signature);
  const again = ada.page.getByRole("list", { name: "Imports" }).getByRole("alert");
  await expect(again).toContainText("in the vault already");
  await vault.button("Dismiss").click();
  await vault.entry("Holiday").getByRole("button", { name: "Delete" }).click();
  await vault.dialog.getByRole("button", { name: "Delete" }).click();
  await expect(vault.entry("Holiday")).toHaveCount(0);

  await vault.choosing({ ...signature, name: "Another.age.sig" });
  await expect(again).toContainText("a signature only");
  await vault.button("Dismiss").click();
  await vault.import("Holiday", copy, signature);
  await expect(vault.entry("Holiday")).toContainText("Signed by you");
  await vault.import("Alone", { ...copy, name: "Alone.jpg.age" });
  await expect(vault.entry("Alone")).toContainText("Not signed: nobody vouches for who made it");

  await vault.entry("Alone").getByRole("button", { name: "Export" }).click();
  await expect(vault.dialog).toContainText("anyone who gets hold of the file can open it");
  const plain = await vault.saved("Save without encryption");
  expect(plain).toMatch(/Alone\.jpg$/);
  expect(readFileSync(plain).equals(picture("").buffer)).toBe(true);
});

test("where the browser has a picker, a copy goes straight to the disk; what does not authenticate leaves nothing", async ({
  server,
  person,
}) => {
  const ada = await person("Ada", { before: pickedHere });
  const vault = await VaultPage.setUp(ada, server.url);
  await vault.import("Holiday", picture("Holiday.jpg"));
  await vault.entry("Holiday").getByRole("button", { name: "Export" }).click();
  await vault.button("Save sealed copy").click();
  await expect(vault.dialog).toContainText("Sealed copy saved.");
  expect(await picked(ada, "Holiday.jpg.age")).toBeGreaterThan(picture("").buffer.length);
  await vault.button("Save without encryption").click();
  await expect(vault.dialog).toContainText("Saved without encryption.");
  expect(await picked(ada, "Holiday.jpg")).toBe(picture("").buffer.length);
  await ada.page.evaluate(() => navigator.storage.getDirectory().then((root) => root.removeEntry("Holiday.jpg")));
  await change(ada, "payload");
  await vault.button("Save without encryption").click();
  await expect(vault.dialog.getByRole("alert")).toContainText("changed or damaged");
  expect(await picked(ada, "Holiday.jpg")).toBe(0);
});

test("who it is shared with opens it in their vault; after a removal it is sealed again and does not open there", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada", DOWNLOADS), await person("Ben")];
  const hers = await VaultPage.setUp(ada, server.url);
  const his = await VaultPage.setUp(ben, server.url);
  await hers.import("Holiday", picture("Holiday.jpg"));

  await hers.entry("Holiday").getByRole("button", { name: "Share" }).click();
  await hers.dialog.getByLabel("Name").fill("Ben");
  await hers.dialog.getByLabel("Their recipient").fill("age1pq1nonsense");
  await hers.dialog.getByRole("button", { name: "Share" }).click();
  await expect(hers.dialog.getByRole("alert").last()).toContainText("no recipient of a vault");
  // As a mail program breaks it.
  await hers.dialog.getByLabel("Their recipient").fill((await his.recipient()).replace(/.{76}/g, "$&\n"));
  await hers.dialog.getByRole("button", { name: "Share" }).click();
  await expect(hers.dialog.getByRole("listitem", { name: "Ben" })).toBeVisible();
  await hers.close();

  const shared = await hers.exported("Holiday");
  await his.import("Holiday", shared.copy, shared.signature);
  await expect(his.entry("Holiday")).toContainText("Signed by someone you have not met");
  await his.entry("Holiday").getByRole("button", { name: "Play" }).click();
  const image = his.dialog.getByRole("img", { name: "Holiday" });
  await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(640);

  await hers.entry("Holiday").getByRole("button", { name: "Share" }).click();
  await hers.dialog.getByRole("button", { name: "Remove" }).click();
  await expect(hers.dialog).toContainText("Only you can open it.");
  await hers.close();
  await expect(hers.entry("Holiday").getByRole("button", { name: "Export" })).toBeVisible();
  const { copy } = await hers.exported("Holiday");
  await his.close();
  await his.choosing({ ...copy, name: "Later.age" });
  await expect(ben.page.getByRole("list", { name: "Imports" }).getByRole("alert")).toContainText("not sealed for your");

  await test.step("what was interrupted goes on at the next visit, and no copy leaves before", async () => {
    const [id = ""] = await files(ada);
    const recipient = await hers.recipient();
    await ask(ada.page, "share", [id, "Another", recipient]);
    await ask(ada.page, "unshare", [id, recipient]);
    const before = await versions(ada, id);
    await ada.page.reload();
    await hers.unlock(PASSPHRASE);
    await expect(hers.entry("Holiday").getByRole("button", { name: "Export" })).toBeVisible();
    expect(await versions(ada, id)).not.toEqual(before);
  });
});

test("a recording shows while it is made, and is recovered where its page ended", async ({ server, person }) => {
  const ada = await person("Ada", { context: STILL });
  const vault = await VaultPage.setUp(ada, server.url);
  const call = await ada.context.newPage();
  await call.goto(`${server.url}/vault`);
  await expect(call.getByRole("heading", { name: "The vault is locked" })).toBeVisible();
  const [kind, people] = ["image/jpeg", ["Ben", "Zoë"]];
  const id = await ask(call, "create", [{ title: "A call", kind, people }]);
  await ask(call, "append", [id, new Uint8Array(picture("").buffer)]);
  const look = () => ada.page.evaluate(() => void dispatchEvent(new Event("focus")));
  await look();
  await expect(vault.entry("A call")).toContainText("Being recorded");
  await expect(vault.entry("A call")).toContainText("Ben and Zoë");
  await expectAccessible(ada.page);

  await test.step("and plays on as it grows", async () => {
    const film = await inFragments((await video(ada, "Clip.mp4")).buffer);
    const made = await ask(call, "create", [{ title: "A film", kind: "video/mp4", people: [] }]);
    await ask(call, "append", [made, film.subarray(0, film.length >> 1)]);
    await look();
    await vault.entry("A film").getByRole("button", { name: "Play" }).click();
    const element = vault.dialog.getByLabel("Recording", { exact: true });
    const duration = () => element.evaluate(({ duration }: HTMLVideoElement) => duration || 0);
    await expect.poll(duration).toBeGreaterThan(2);
    const before = await duration();
    await ask(call, "append", [made, film.subarray(film.length >> 1)]);
    await expect.poll(duration).toBeGreaterThan(before + 2);
    await expectAccessible(ada.page);
    await vault.close();
    await ask(call, "cancel", [made]);
  });
  await call.close();
  await expect(async () => {
    await look();
    await expect(vault.entry("A call")).toContainText("Unfinished", { timeout: 500 });
  }).toPass({ timeout: 10_000 });
  await expectAccessible(ada.page);
  await vault.entry("A call").getByRole("button", { name: "Recover" }).click();
  await expect(vault.entry("A call")).toContainText("Signed by you");
  await vault.entry("A call").getByRole("button", { name: "Play" }).click();
  const image = vault.dialog.getByRole("img", { name: "A call" });
  await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(640);
});

test("an import that is cancelled, or whose page is loaded again, leaves nothing", async ({ server, person }) => {
  const ada = await person("Ada");
  const vault = await VaultPage.setUp(ada, server.url);
  await drop(ada, "Long.png", 400);
  const progress = ada.page.getByRole("progressbar", { name: "Sealing Long.png" });
  const isUnderWay = async () => {
    await expect.poll(() => progress.evaluate((of: HTMLProgressElement) => of.value)).toBeGreaterThan(0);
    expect(await files(ada)).toHaveLength(1);
  };
  await isUnderWay();
  await vault.button("Cancel").click();
  await expect(progress).toHaveCount(0);
  await expect(vault.heading("Recordings")).toBeFocused();
  await expect.poll(() => files(ada)).toHaveLength(0);
  await drop(ada, "Long.png", 400);
  await isUnderWay();
  await ada.page.reload();
  await vault.unlock(PASSPHRASE);
  await expect(ada.page.getByText("Nothing is in the vault yet")).toBeVisible();
  await expect.poll(() => files(ada)).toHaveLength(0);
  await vault.import("Short", picture("Short.jpg"));
});

test("with the keyboard alone, a file is imported, played, shared, exported and deleted", async ({
  server,
  person,
}) => {
  const ada = await person("Ada", DOWNLOADS);
  const vault = await VaultPage.setUp(ada, server.url);
  const { keyboard } = ada.page;
  const press = async (name: string, key = "Enter") => {
    const target = ada.page.getByRole("button", { name, exact: true }).last();
    for (let presses = 0; presses < 40; presses++) {
      if (await target.evaluate((element) => element === document.activeElement)) return keyboard.press(key);
      await keyboard.press("Tab");
    }
    throw new Error(`Tab never reaches ${name}.`);
  };
  const choosing = ada.page.waitForEvent("filechooser");
  await press("Import");
  await (await choosing).setFiles(picture("Holiday.jpg"));
  await expect(vault.entry("Holiday")).toBeVisible();
  for (const name of ["Play", "Share", "Export"]) {
    await press(name, "Space");
    await expect(vault.dialog).toBeVisible();
    await keyboard.press("Escape");
    await expect(vault.dialog).toHaveCount(0);
    await expect(vault.entry("Holiday").getByRole("button", { name })).toBeFocused();
  }
  await press("Rename");
  await keyboard.type("Forest");
  await keyboard.press("Escape");
  await expect(vault.entry("Holiday").getByRole("button", { name: "Rename" })).toBeFocused();
  await press("Delete");
  await expect(vault.dialog).toBeVisible();
  await press("Delete");
  await expect(vault.heading("Recordings")).toBeFocused();
});

/** Names of the vault's files on the disk. */
function files({ page }: ChromiumPerson): Promise<string[]> {
  return page.evaluate(async () => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("vault");
    const names: string[] = [];
    for await (const [name, { kind }] of root.entries()) if (kind === "directory") names.push(name);
    return names;
  });
}

/** The numbers under which a file was sealed. */
function versions({ page }: ChromiumPerson, id: string): Promise<string[]> {
  return page.evaluate(async (id) => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("vault");
    const names: string[] = [];
    for await (const name of (await root.getDirectoryHandle(id)).keys()) names.push(name);
    return names;
  }, id);
}

/** Flips a bit in the middle of a part of the only file that is in the vault. */
function change({ page }: ChromiumPerson, part: "payload" | "meta.age"): Promise<void> {
  return page.evaluate(async (part) => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle("vault");
    for await (const directory of root.values()) {
      if (directory.kind !== "directory") continue;
      const version = await (directory as FileSystemDirectoryHandle).getDirectoryHandle("0");
      const handle = await version.getFileHandle(part);
      const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
      const middle = bytes.length >> 1;
      bytes[middle] = (bytes[middle] ?? 0) ^ 1;
      const writable = await handle.createWritable();
      await writable.write(bytes);
      await writable.close();
    }
  }, part);
}

/** Asks a page's vault worker, past the page. Bytes go there as numbers. */
function ask(page: Page, name: string, args: unknown[]): Promise<string> {
  const written = args.map((arg) => (arg instanceof Uint8Array ? { bytes: [...arg] } : arg));
  return page.evaluate(
    ({ name, written }) => {
      const { workers } = globalThis as unknown as { workers: { url: string; worker: Worker }[] };
      const vault = workers.findLast(({ url }) => url.includes("vault.worker"))?.worker;
      const number = 1e6 + Math.random();
      const args = written.map((arg) =>
        typeof arg === "object" && arg !== null && "bytes" in arg ? new Uint8Array(arg.bytes as number[]) : arg,
      );
      return new Promise<string>((done) => {
        vault?.addEventListener("message", ({ data }) => data.number === number && done(data.value));
        vault?.postMessage({ number, name, args });
      });
    },
    { name, written },
  );
}

/** Some seconds of a clip, as recordings are written. */
async function inFragments(clip: Buffer): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), "sealcast-files-"));
  const path = join(folder, "Film.mp4");
  await writePlainVideo(path, clip, { seconds: 12, paddingBytes: 5_000, inFragments: true });
  const bytes = readFileSync(path);
  rmSync(folder, { recursive: true });
  return new Uint8Array(bytes);
}

/** Runs in the page, before its own scripts: keeps the addresses of opened files that are not revoked. */
function keepUrls(): void {
  const live = new Set<string>();
  Object.assign(globalThis, { live });
  const { createObjectURL, revokeObjectURL } = URL;
  URL.createObjectURL = (of) => {
    const url = createObjectURL(of);
    live.add(url);
    return url;
  };
  URL.revokeObjectURL = (url) => {
    live.delete(url);
    revokeObjectURL(url);
  };
}

function isLive({ page }: ChromiumPerson, url: string): Promise<boolean> {
  return page.evaluate((url) => (globalThis as unknown as { live: Set<string> }).live.has(url), url);
}

/** Drops a file of this many MiB that begins as an image does. */
function drop({ page }: ChromiumPerson, name: string, mebibytes: number): Promise<void> {
  return page.evaluate(
    ({ name, mebibytes }) => {
      const start = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
      const part = new Uint8Array(1024 * 1024);
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([start, ...Array.from({ length: mebibytes }, () => part)], name));
      document.querySelector("main")?.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
    },
    { name, mebibytes },
  );
}

/** Runs in the page, before its own scripts: answers the browser's dialog with a file of the private file system. */
function pickedHere(): void {
  const showSaveFilePicker = async ({ suggestedName }: { suggestedName: string }) =>
    (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
  Object.assign(globalThis, { showSaveFilePicker });
}

/** Bytes of a file that was saved there. */
function picked({ page }: ChromiumPerson, name: string): Promise<number> {
  return page.evaluate(async (name) => {
    const handle = await (await navigator.storage.getDirectory()).getFileHandle(name);
    return (await handle.getFile()).size;
  }, name);
}
