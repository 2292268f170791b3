import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { Locator, Page } from "@playwright/test";
import { concat, u32, utf8 } from "@sealcast/bytes";
import { media } from "@sealcast/testbed";
import { expect } from "./expect.ts";
import type { ChromiumPerson } from "./person.ts";

export const PASSPHRASE = "seven otters juggle at dawn";

/** What Playwright gives a file input. */
export interface Chosen {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

const CLIP = readFileSync(media.film360);
const PNG = Uint8Array.of(0x89, ...utf8("PNG\r\n\x1a\n"));
const END_OF_IMAGE = Buffer.from([0xff, 0xd9]);

/** The clip's first picture. */
export function picture(name: string): Chosen {
  const buffer = CLIP.subarray(0, CLIP.indexOf(END_OF_IMAGE) + END_OF_IMAGE.length);
  return { name, mimeType: "image/jpeg", buffer };
}

/** The beginning of an image that says that it has 400 million pixels: 1.6 GB, once it is shown. */
export function vast(name: string): Chosen {
  const side = u32(20_000);
  const header = pngChunk("IHDR", concat(side, side, Uint8Array.of(8, 0, 0, 0, 0)));
  const buffer = Buffer.from(concat(PNG, header, pngChunk("IDAT", new Uint8Array())));
  return { name, mimeType: "image/png", buffer };
}

function pngChunk(type: string, data: Uint8Array): Uint8Array {
  const body = concat(utf8(type), data);
  return concat(u32(data.length), body, u32(crc32(body)));
}

export function sound(name: string): Chosen {
  const buffer = readFileSync(media.reading);
  return { name, mimeType: "audio/wav", buffer };
}

/** Some seconds of the clip, as this person's browser records its camera: a WebM, or a fragmented MP4, as its name says. */
export async function video(person: ChromiumPerson, name: string): Promise<Chosen> {
  const mimeType = name.endsWith(".mp4") ? 'video/mp4; codecs="avc1.42E01E"' : "video/webm";
  const base64 = await person.page.evaluate(async (mimeType) => {
    const camera = await navigator.mediaDevices.getUserMedia({ video: { width: 320, height: 180 } });
    const recorder = new MediaRecorder(camera, { mimeType });
    const stopped = new Promise<Blob>((done) => {
      recorder.ondataavailable = ({ data }) => done(data);
    });
    const element = Object.assign(document.createElement("video"), { srcObject: camera, muted: true });
    await element.play();
    recorder.start();
    await new Promise<void>((done) => {
      element.ontimeupdate = () => element.currentTime > 4 && done();
    });
    recorder.stop();
    const bytes = new Uint8Array(await (await stopped).arrayBuffer());
    for (const track of camera.getTracks()) track.stop();
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  }, mimeType);
  return { name, mimeType, buffer: Buffer.from(base64, "base64") };
}

/** Plays the newest recording in their vault, in a page of its own that the caller closes. Done when it has played for a second. */
export async function playNewest(
  { context }: ChromiumPerson,
  home: string,
): Promise<{ library: Page; entry: Locator; video: Locator }> {
  const library = await context.newPage();
  await library.goto(`${home}/vault`);
  await library.getByLabel("Passphrase").fill(PASSPHRASE);
  await library.getByRole("button", { name: "Unlock" }).click();
  const entry = library.getByRole("list", { name: "Recordings" }).getByRole("listitem").first();
  await entry.getByRole("button", { name: "Play" }).click();
  const video = library.getByLabel("Recording", { exact: true });
  await expect.poll(() => video.evaluate(({ currentTime }: HTMLVideoElement) => currentTime)).toBeGreaterThan(1);
  return { library, entry, video };
}

/** Someone's vault, at `/vault`. */
export class VaultPage {
  readonly person: ChromiumPerson;

  constructor(person: ChromiumPerson) {
    this.person = person;
  }

  /** A fresh vault, with its recovery tried. */
  static async setUp(person: ChromiumPerson, home: string): Promise<VaultPage> {
    const vault = new VaultPage(person);
    await person.page.goto(`${home}/vault`);
    await vault.choose(PASSPHRASE);
    const key = await vault.keepKey();
    await vault.tryOut(key, PASSPHRASE);
    await expect(vault.heading("Recordings")).toBeVisible();
    return vault;
  }

  get #page() {
    return this.person.page;
  }

  heading(name: string): Locator {
    return this.#page.getByRole("heading", { level: 1, name });
  }

  button(name: string): Locator {
    return this.#page.getByRole("button", { name, exact: true });
  }

  get dialog(): Locator {
    return this.#page.getByRole("dialog");
  }

  entry(title: string): Locator {
    return this.#page.getByRole("list", { name: "Recordings" }).getByRole("listitem", { name: title, exact: true });
  }

  async choose(passphrase: string): Promise<void> {
    await this.#page.getByLabel("Passphrase", { exact: true }).fill(passphrase);
    await this.#page.getByLabel("Passphrase, again").fill(passphrase);
    await this.button("Set up vault").click();
  }

  /** Downloads the recovery key and goes on; gives the file. */
  async keepKey(): Promise<string> {
    await expect(this.heading("Keep your recovery key")).toBeVisible();
    const path = await this.saved("Download as a file");
    await this.button("Continue").click();
    return path;
  }

  async tryOut(keyFile: string, passphrase: string): Promise<void> {
    await this.#page.getByLabel("Recovery key file").setInputFiles(keyFile);
    await expect(this.#page.getByRole("textbox", { name: "Recovery key" })).toHaveValue(/\.[\w-]{100,}$/);
    await this.#page.getByLabel("Passphrase", { exact: true }).fill(passphrase);
    await this.button("Finish").click();
  }

  async unlock(passphrase: string): Promise<void> {
    await this.#page.getByLabel("Passphrase", { exact: true }).fill(passphrase);
    await this.button("Unlock").click();
  }

  async choosing(...files: Chosen[] | string[]): Promise<void> {
    await this.#page.getByLabel("Files to import").setInputFiles(files as Chosen[]);
  }

  async import(title: string, ...files: Chosen[] | string[]): Promise<void> {
    await this.choosing(...files);
    await expect(this.entry(title)).toBeVisible();
  }

  /** What a button has the browser save: the file's path, under the name that it was given. */
  async saved(button: string): Promise<string> {
    const download = this.#page.waitForEvent("download");
    await this.button(button).click();
    const file = await download;
    const path = `${await file.path()}-${file.suggestedFilename()}`;
    await file.saveAs(path);
    return path;
  }

  /** Saves a sealed copy and its signature. */
  async exported(title: string): Promise<{ copy: Chosen; signature: Chosen }> {
    await this.entry(title).getByRole("button", { name: "Export" }).click();
    const copy = chosen(await this.saved("Save sealed copy"), `${title}.age`);
    const signature = chosen(await this.saved("Save signature"), `${title}.age.sig`);
    await this.close();
    return { copy, signature };
  }

  async recipient(): Promise<string> {
    await this.button("Your recipient").click();
    const field = this.dialog.getByRole("textbox", { name: "Recipient" });
    await expect(field).toHaveValue(/^age1pq1/);
    const recipient = await field.inputValue();
    await this.close();
    return recipient;
  }

  async close(): Promise<void> {
    await this.dialog.getByRole("button", { name: "Close" }).click();
    await expect(this.dialog).toHaveCount(0);
  }
}

function chosen(path: string, name: string): Chosen {
  return { name, mimeType: "application/octet-stream", buffer: readFileSync(path) };
}

/** Runs in the page, before its own scripts: exports are downloads, since no test can answer the browser's dialog. */
export function withoutPicker(): void {
  Object.assign(globalThis, { showSaveFilePicker: undefined });
}
