/** Codec, size and rate of encoded video. */
export interface Encoding {
  /** Lower case, as "video/vp8". */
  mimeType: string;
  width: number;
  height: number;
  /** Bits per second. */
  bitrate: number;
  /** It is to be read, rather than to move. */
  isText?: boolean;
}

/** The most sizes that one source is encoded in. */
export const MOST_SIZES = 3;

/**
 * WebCodecs names with levels that hold 1280x720, and 1920x1080, at 30 frames a second. H.264 is Constrained Baseline, as
 * WebRTC's is.
 */
const CODECS: Record<string, { small: string; large: string }> = {
  "video/vp8": { small: "vp8", large: "vp8" },
  "video/vp9": { small: "vp09.00.31.08", large: "vp09.00.40.08" },
  "video/h264": { small: "avc1.42e01f", large: "avc1.42e028" },
  "video/av1": { small: "av01.0.05M.08", large: "av01.0.08M.08" },
};
const SMALL = 1280 * 720;

/**
 * How one encoder for several links is set up; null for a codec that is not encoded so. Three temporal layers: of those,
 * upper ones can be left out for a link that is too slow for all. Software, since that is what cannot differ between machines.
 * No frame rate: encoders then spread their bits over the frames that really come.
 */
export function encoderConfig({
  mimeType,
  width,
  height,
  bitrate,
  isText = false,
}: Encoding): VideoEncoderConfig | null {
  const codec = CODECS[mimeType];
  if (codec === undefined) return null;
  // W3C WebCodecs section 4.6; the types of the platform do not know it yet.
  const hint = isText && { contentHint: "text" };
  return {
    ...hint,
    codec: width * height <= SMALL ? codec.small : codec.large,
    width,
    height,
    bitrate: Math.round(bitrate),
    bitrateMode: "constant",
    latencyMode: "realtime",
    scalabilityMode: "L1T3",
    hardwareAcceleration: "prefer-software",
    // RTP carries start codes and parameter sets with every key frame.
    ...(mimeType === "video/h264" && { avc: { format: "annexb" } }),
  };
}
