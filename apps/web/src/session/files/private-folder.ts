import { toBase64url } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import type { FilePlace } from "@sealcast/media";
import { type Clock, milli } from "@sealcast/time";
import { FOLDER, lockOf } from "./leftovers.ts";

/** A download of a file that is whole has begun, and takes a while. */
const DOWNLOADED_WITHIN = milli(60_000);

/** Where this page keeps files that come, until they are handed over. No other page takes it for a leftover. */
export class PrivateFolder {
  readonly #name = toBase64url(random(8));
  readonly #clock: Clock;
  #opened: Promise<FileSystemDirectoryHandle> | null = null;
  #release: () => void = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async place(name: string): Promise<FilePlace> {
    this.#opened ??= this.#open();
    return { type: "private", folder: await this.#opened, name };
  }

  async remove(name: string): Promise<void> {
    await (await this.#opened)?.removeEntry(name);
  }

  /** All of it is removed, a while later where a file in it may still be copied. */
  async close(isWhole: boolean): Promise<void> {
    if (this.#opened === null) return;
    if (isWhole) this.#clock.after(DOWNLOADED_WITHIN, () => void this.#remove());
    else await this.#remove();
  }

  async #open(): Promise<FileSystemDirectoryHandle> {
    await new Promise<void>((held) => {
      void navigator.locks.request(lockOf(this.#name), () => {
        held();
        return new Promise<void>((release) => {
          this.#release = release;
        });
      });
    });
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle(FOLDER, { create: true });
    return folder.getDirectoryHandle(this.#name, { create: true });
  }

  async #remove(): Promise<void> {
    try {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER);
      await folder.removeEntry(this.#name, { recursive: true });
    } catch {
      // The worker that wrote there has not ended yet: the next call removes what is left.
    } finally {
      this.#release();
    }
  }
}
