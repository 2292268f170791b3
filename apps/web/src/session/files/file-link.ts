import type { FileWorker } from "@sealcast/media";
import type { FilePart } from "@sealcast/network";
import type { FileWord } from "./words.ts";

/** What the worker for files does. */
export type FileWork = Omit<FileWorker, "close">;

/** The way for files to one member who is here. A connection that takes another's place is another link. */
export interface FileLink {
  /** Of the member: the same for all their tabs, and when they join afresh. */
  readonly identity: string;
  readonly leafKeyId: string;
  /** The connection is there now. */
  readonly isUp: boolean;
  /** A part can be sent now. */
  readonly hasRoom: boolean;
  /** False: it cannot be said now, or nothing may be said there. */
  say(word: FileWord): boolean;
  send(part: FilePart): void;
}
