import { found, namesIn } from "./files.ts";
import { DRAFT, META } from "./recording.ts";

/**
 * A file of the vault is a directory, and in it one directory for each time that its contents were sealed: a new key makes
 * a new version. The highest finished one counts. Where none is finished the lowest does: those above are copies of it that
 * were never finished. All others go.
 */
export interface Version {
  readonly number: number;
  readonly directory: FileSystemDirectoryHandle;
  readonly isFinished: boolean;
}

const NUMBER = /^(0|[1-9]\d{0,8})$/;

/** The version that counts; null: there is none, as of a file that was never begun in full. */
export async function currentVersion(file: FileSystemDirectoryHandle): Promise<Version | null> {
  const versions = await versionsOf(file);
  return versions.find(({ isFinished }) => isFinished) ?? versions.at(-1) ?? null;
}

/** A directory for the next version, empty. */
export async function nextVersion(file: FileSystemDirectoryHandle): Promise<FileSystemDirectoryHandle> {
  const numbers = (await namesIn(file)).filter((name) => NUMBER.test(name)).map(Number);
  return file.getDirectoryHandle(String(Math.max(-1, ...numbers) + 1), { create: true });
}

/** Removes all versions but `current`, which counts. For who holds the file's lock. */
export async function removeOthers(file: FileSystemDirectoryHandle, current: Version): Promise<void> {
  for (const name of await namesIn(file))
    if (name !== String(current.number)) await file.removeEntry(name, { recursive: true });
}

/** Those that hold anything to be opened, the highest first. */
async function versionsOf(file: FileSystemDirectoryHandle): Promise<Version[]> {
  const numbers = (await namesIn(file)).filter((name) => NUMBER.test(name)).map(Number);
  const versions = await Promise.all(numbers.map((number) => versionOf(file, number)));
  return versions.filter((version) => version !== null).sort((a, b) => b.number - a.number);
}

async function versionOf(file: FileSystemDirectoryHandle, number: number): Promise<Version | null> {
  const directory = await file.getDirectoryHandle(String(number));
  if ((await found(directory.getFileHandle(META))) !== null) return { number, directory, isFinished: true };
  if ((await found(directory.getFileHandle(DRAFT))) !== null) return { number, directory, isFinished: false };
  return null;
}
