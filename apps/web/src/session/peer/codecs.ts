import { encoderConfig, type MediaKind } from "@sealcast/media";

/**
 * Codecs whose frames can be sealed, preferred ones first: H.264 costs the least to encode, and on a busy machine by far
 * (docs/decisions/h264-first.md). RED carries each sound again with the next, so that a lost packet is not heard.
 */
const SEALABLE = ["audio/red", "audio/opus", "video/h264", "video/vp8", "video/vp9", "video/av1", "video/h265"];
/** Formats below the transform that carry those codecs' packets again: they need no view. */
const REPAIR = ["video/rtx", "video/red", "video/ulpfec", "video/flexfec-03", "audio/telephone-event", "audio/cn"];

/** What a media line may negotiate, in the order of preference: nothing that could not be sealed. */
export function negotiable(kind: MediaKind): RTCRtpCodec[] {
  const all = RTCRtpReceiver.getCapabilities(kind)?.codecs ?? [];
  return [...SEALABLE, ...REPAIR].flatMap((wanted) => all.filter((codec) => isCodec(codec, wanted)));
}

/** The video codecs that this browser decodes and opens, preferred ones first. */
export function decodable(): string[] {
  return SEALABLE.filter(
    (wanted) => wanted.startsWith("video/") && negotiable("video").some((c) => isCodec(c, wanted)),
  );
}

/** Of these codecs those that WebCodecs decodes, too: browsers take their decoders for connections from elsewhere. */
export async function playable(codecs: readonly string[]): Promise<string[]> {
  const plays = await Promise.all(codecs.map(isPlayable));
  return codecs.filter((_, i) => plays[i]);
}

/** As WebCodecs call it, for the largest picture that a stream has; null: they decode no such thing. */
export function playedAs(mimeType: string): string | null {
  return encoderConfig({ mimeType, width: 1920, height: 1080, bitrate: 1 })?.codec ?? null;
}

async function isPlayable(mimeType: string): Promise<boolean> {
  const codec = playedAs(mimeType);
  if (codec === null || !("VideoDecoder" in globalThis)) return false;
  const { supported } = await VideoDecoder.isConfigSupported({ codec }).catch(() => ({ supported: false }));
  return supported === true;
}

/** The one codec for everybody's picture: the most preferred that all can decode; null where there is none. */
export function common(decodables: readonly (readonly string[])[]): string | null {
  return SEALABLE.find((codec) => decodables.length > 0 && decodables.every((some) => some.includes(codec))) ?? null;
}

export function isCodec({ mimeType }: RTCRtpCodec, name: string): boolean {
  return mimeType.toLowerCase() === name;
}
