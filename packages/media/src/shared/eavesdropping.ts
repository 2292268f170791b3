/** Comes first and once. Both are transferred. `size`: of the picture, which packets of most codecs say openly. */
export interface ToEavesdropper {
  /** Gets each frame as it is on the way: Overheard. */
  port: MessagePort;
  canvas: OffscreenCanvas;
  size: { width: number; height: number };
}

/** What came of it so far. */
export interface FromEavesdropper {
  /** Frames that were heard, and how many of them could be read. */
  heard: number;
  readable: number;
  /** Pictures that a decoder made of them, and how often it gave up. */
  pictures: number;
  failures: number;
}
