import { createHash, randomBytes } from "node:crypto";
import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "@playwright/test";
import type { ChromiumPerson } from "./person.ts";
import type { Chosen } from "./vault.ts";

const AT_ONCE = 10_000_000;

/** For tests that take a `folder`: it is there for one test. */
export const withFolder = {
  folder: async ({}: object, use: (folder: string) => Promise<void>): Promise<void> => {
    const folder = mkdtempSync(join(tmpdir(), "sealcast-files-"));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
};

/** A file of random bytes. @returns its path */
export function madeFile(folder: string, name: string, bytes: number): string {
  const path = join(folder, name);
  const file = openSync(path, "w");
  for (let left = bytes; left > 0; left -= AT_ONCE) writeSync(file, randomBytes(Math.min(left, AT_ONCE)));
  closeSync(file);
  return path;
}

/** The dialog of a person's files, opened where it is not. */
export async function filesOf({ page }: ChromiumPerson): Promise<Locator> {
  const dialog = page.getByRole("dialog", { name: "Files" });
  if (await dialog.isVisible()) return dialog;
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("button", { name: /^Files/ }).click();
  return dialog;
}

/** Sends files, given by their paths or as bytes, to everyone or to one person. */
export async function sendFiles(from: ChromiumPerson, files: string[] | Chosen[], to = "Everyone here"): Promise<void> {
  const dialog = await filesOf(from);
  await dialog.getByLabel("Files to send").setInputFiles(files as string[]);
  await dialog.getByRole("combobox").selectOption({ label: to });
  await dialog.getByRole("button", { name: /^Send (file|\d+ files)$/ }).click();
}

/** A file in the list of a person's files. */
export async function fileOf(person: ChromiumPerson, name: string): Promise<Locator> {
  return (await filesOf(person)).getByRole("listitem", { name, exact: true });
}

/** Has the person save a file that is offered over the call, and waits until it is a download. @returns its path */
export async function savedFile({ page }: ChromiumPerson, name: string, timeout = 30_000): Promise<string> {
  const download = page.waitForEvent("download", { timeout });
  await page
    .getByRole("button", { name: `Save ${name}`, exact: true })
    .first()
    .click();
  const file = await download;
  if (file.suggestedFilename() !== name) throw new Error(`It was saved as ${file.suggestedFilename()}.`);
  return file.path();
}

export async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return hash.digest("hex");
}
