import type { LineSource, SoundFormat } from "@sealcast/network";
import { milli } from "@sealcast/time";

/** Milliseconds of sound in a packet, by the number of receivers from which on it applies. */
const PACKETS = [
  { receivers: 4, ms: 60 },
  { receivers: 2, ms: 40 },
];
/** What browsers do by themselves. */
const SHORT_PACKET = milli(20);

/** Bits per second: music and films take more than speech, and are in stereo. */
const SCREEN_SOUND = 96_000;

/**
 * How many milliseconds of sound go into a packet where it is sent to this many receivers. Each packet is sealed, sent, opened and
 * played once for every receiver, and with several that costs more than all pictures do. Longer ones come a little later.
 */
export function packetMs(receivers: number): number {
  return PACKETS.find((from) => receivers >= from.receivers)?.ms ?? SHORT_PACKET;
}

/** How a member sends the sound of a source in a call. A screen's is not speech alone: nothing of it is left out as silence. */
export function soundFormat(
  source: LineSource,
  { receivers, hidesSpeech }: { receivers: number; hidesSpeech: boolean },
) {
  const isScreen = source === "screen-sound";
  const transmission = hidesSpeech ? "constant" : isScreen ? "continuous" : "discontinuous";
  const format: SoundFormat = { packetMs: packetMs(receivers), transmission };
  return isScreen ? { ...format, bitsPerSecond: SCREEN_SOUND, isStereo: true } : format;
}
