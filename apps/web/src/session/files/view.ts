/** Bytes of a file: 2 GB. */
export const MAX_FILE_BYTES = 2_000_000_000;
/** Files on offer or on their way at a time: those that a person sends, and those that another sends them. */
export const MOST_OPEN_FILES = 10;

/** How a file's way to, or from, one person stands. */
export type FileState =
  /** Nobody has said yes or no. */
  | "offered"
  | "going"
  /** The connection is lost; it goes on when that is back. */
  | "waiting"
  | "paused-here"
  | "paused-there"
  | "done"
  | "declined"
  | "cancelled-here"
  | "cancelled-there"
  /** The sender's file is not what it was, or cannot be read any more. */
  | "changed"
  | "damaged"
  /** No space is left at the receiver. */
  | "full"
  | "unwritable"
  /** This browser's worker failed. */
  | "stopped"
  /** The other person is not in the call any more, or their connection was closed. */
  | "left";

const OPEN: readonly FileState[] = ["offered", "going", "waiting", "paused-here", "paused-there"];

/** Something may still come of it. */
export const isOpen = (state: FileState): boolean => OPEN.includes(state);

export interface FilePerson {
  identity: string;
  /** As they show now; as they showed last, once they have gone. */
  name: string;
  state: FileState;
  /** Of the file, so far. */
  bytes: number;
}

/** A file that this person sends, or that another offers them. */
export interface SharedFile {
  id: string;
  name: string;
  size: number;
  /** Opening it may run a program. */
  canRun: boolean;
  isSent: boolean;
  toAll: boolean;
  /** To whom it is sent; or, alone, who sends it. */
  people: FilePerson[];
  /** There is not enough space here to save it. */
  lacksSpace: boolean;
  /** It is whole, and this page has it to hand over: `receivedFile` gives it. */
  isHere: boolean;
}

/** Someone offers it, and this person has not answered. */
export const isWaiting = ({ isSent, people }: SharedFile): boolean => !isSent && people[0]?.state === "offered";

/** Something may still come of it, for someone. */
export const isUnderWay = ({ people }: SharedFile): boolean => people.some(({ state }) => isOpen(state));

export interface FilesView {
  files: SharedFile[];
}

export const NO_FILES: FilesView = { files: [] };

export interface FilesActions {
  /** To one person (by id) or to "all" who are here. More than may be on offer, or larger ones, are left out. */
  sendFiles(files: readonly File[], to: string): void;
  /** Saves an offered file. To be called in the task of a click: the browser may have the person choose a place. */
  saveFile(id: string): void;
  declineFile(id: string): void;
  pauseFile(id: string, on: boolean): void;
  /** Ends it, for all to whom it is sent. */
  cancelFile(id: string): void;
  /** Takes an ended one off the list. */
  dismissFile(id: string): void;
  /** One that is whole, to hand over as a download. */
  receivedFile(id: string): File | null;
}
