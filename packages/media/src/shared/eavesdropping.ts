/** Comes first and once. `size`: of the picture, which packets of most codecs say openly. */
export interface ToEavesdropper {
  /** Gets each frame as it is on the wire: Overheard. Transferred. */
  port: MessagePort;
  size: { width: number; height: number };
}

export type FromEavesdropper =
  /** What a decoder made of what was heard. Transferred. */
  { type: "picture"; picture: ImageBitmap } | { type: "heard"; heard: Eavesdropped };

/** What came of it so far. */
export interface Eavesdropped {
  /** Frames that were heard, and how many of them could be read. */
  frames: number;
  readable: number;
  /** Pictures that a decoder made of them, and how often it gave up. */
  pictures: number;
  failures: number;
}
