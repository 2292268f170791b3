/** Where pictures go. */
export interface PictureScreen {
  /**
   * Takes the picture in any case.
   *
   * @param shown is called once it is drawn, or taken over
   * @returns false where it was not shown since those before are not shown yet
   */
  show(picture: VideoFrame, shown: () => void): boolean;
  close(): void;
}

/** Pictures that a track may hold before one is left out. */
const MOST_PENDING = 3;

export function screenOn(pictures: WritableStream<VideoFrame> | OffscreenCanvas): PictureScreen {
  return pictures instanceof WritableStream ? onTrack(pictures) : onCanvas(pictures);
}

function onTrack(track: WritableStream<VideoFrame>): PictureScreen {
  const writer = track.getWriter();
  let pending = 0;
  return {
    show(picture, shown) {
      if (pending >= MOST_PENDING) {
        picture.close();
        return false;
      }
      pending++;
      // Rejects once the page has ended the track: nobody looks any more.
      const done = () => {
        pending--;
        picture.close();
      };
      writer.write(picture).then(shown).then(done, done);
      return true;
    },
    close: () => void writer.close().catch(() => undefined),
  };
}

function onCanvas(canvas: OffscreenCanvas): PictureScreen {
  const context = canvas.getContext("2d", { alpha: false, desynchronized: true });
  return {
    show(picture, shown) {
      const { displayWidth: width, displayHeight: height } = picture;
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      context?.drawImage(picture, 0, 0);
      picture.close();
      shown();
      return true;
    },
    close: () => undefined,
  };
}
