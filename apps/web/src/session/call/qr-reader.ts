/** The picture is made no larger than this before it is searched: the search takes the page's time, and codes are coarse. */
const LONGEST_SIDE = 960;

/** Loads the decoder, which only scanning needs. Gives what reads the QR code in a video's present picture, if any. */
export async function loadQrReader(): Promise<(video: HTMLVideoElement) => string | null> {
  const { decodeQR } = await import("qr/decode.js");
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  return (video) => {
    const { videoWidth, videoHeight } = video;
    if (context === null || videoWidth === 0 || videoHeight === 0) return null;
    const scale = Math.min(1, LONGEST_SIDE / Math.max(videoWidth, videoHeight));
    const [width, height] = [Math.round(videoWidth * scale), Math.round(videoHeight * scale)];
    Object.assign(context.canvas, { width, height });
    context.drawImage(video, 0, 0, width, height);
    try {
      return decodeQR(context.getImageData(0, 0, width, height));
    } catch {
      return null; // No code in this picture, as in most.
    }
  };
}
