/** What the probes in a product's page and workers saw. Times are milliseconds since 1970, on one machine's clock. */

/** A sealed frame as it came to a transform that opens. */
export interface FrameSeen {
  /** Whose count it is: the KID without its epoch. */
  stream: string;
  /** Mod 16, of its seal. */
  epoch: number;
  counter: number;
  /** When it left the transform open; null: refused. */
  openedAt: number | null;
}

/** A transform that opens. */
export interface TrackSeen {
  id: string;
  kind: "audio" | "video";
  /** How many frames left open. */
  opened: number;
  /** How many frames came, by epoch (mod 16). */
  came: Record<number, number>;
  /** Each of them; none where they were not asked for. */
  frames: FrameSeen[];
  /** By the product's own count: frames refused, for whatever reason. */
  refused: number;
}

/** What a media worker heard of an epoch: from then on it opens, or seals, under its key. */
export interface KeysSeen {
  type: "epoch" | "send";
  epoch: number;
  at: number;
}

export interface WorkerSeen {
  tracks: TrackSeen[];
  keys: KeysSeen[];
}

/** How a member takes part. */
export interface PageTerms {
  /** Pictures of 320x180 at 5 a second. */
  camera: boolean;
  microphone: boolean;
  /** Keeps all its keys, and does not hear that it was removed. */
  hostile: boolean;
}

/** What the probe in a page offers. */
export interface PageProbe {
  /** When a button that says this was last clicked; 0: never. */
  clickedAt(words: string): number;
  /** What was last copied. */
  copied(): string;
  /** When a frame last left open; of a hostile member only. */
  lastOpenedAt(): number;
  /** What each of the page's media workers saw since the last order to forget. Single frames are many: on demand only. */
  seen(withFrames: boolean): Promise<WorkerSeen[]>;
  forget(): void;
  /** Closes the connections that the page has closed: until then they are kept up, so that a removed member goes on receiving. */
  hangUp(): void;
}
