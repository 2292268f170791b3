import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Locator } from "@playwright/test";
import type { ChromiumPerson } from "./person.ts";
import type { Chosen } from "./vault.ts";

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
