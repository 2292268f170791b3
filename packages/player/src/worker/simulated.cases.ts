import { type Clock, ManualClock, milli } from "@sealcast/time";
import type { FromSound, PlayerEvent, PlayerFrame, PlayerMode, ToSound } from "../shared/messages.ts";
import { SoundOutput } from "../worklet/sound-output.ts";
import type { Decoders, MakeDecoder } from "./frame-decoder.ts";
import type { SoundPort } from "./sound-playback.ts";
import { StreamPlayer } from "./stream-player.ts";

/** Samples a second of the simulation: few, so that an hour takes seconds. */
const SOUND_RATE = 1_000;
const BLOCK = 4;
const FRAME_MS = 40;
const PACKET_MS = 20;
const PER_GROUP = 50;
/** Where a sender's time begins: at a date, in milliseconds. */
const EPOCH_MS = 1_790_000_000_000;

export interface Simulation {
  readonly seconds: number;
  readonly mode?: PlayerMode;
  /** By how much the sender's clock runs faster than the player's, and the sound card's does. */
  readonly senderPpm?: number;
  readonly soundCardPpm?: number;
  /** How late a frame comes that was captured so many seconds after the start; null: it is lost. */
  readonly lateMs?: (atS: number, frame: { track: PlayerFrame["track"]; group: number }) => number | null;
  readonly isUndecodable?: (frame: PlayerFrame) => boolean;
  readonly hasSound?: boolean;
  /** Where there is no sound to play, too. */
  readonly hasSoundCard?: boolean;
  /** Seconds after the start, and how much the sound card misses there, in milliseconds. */
  readonly dropout?: { readonly atS: number; readonly ms: number };
  readonly during?: (atS: number, player: StreamPlayer) => void;
}

/** A picture that was shown: when by the player's clock, how old, and by how much it was ahead of the sound heard then. */
export interface Shown {
  readonly atS: number;
  readonly capturedMs: number;
  readonly delayMs: number;
  readonly aheadOfSoundMs: number | null;
}

/** Gives what goes in, at once: a picture or samples that say when they were captured. */
function decoders(clock: Clock, isUndecodable: (frame: PlayerFrame) => boolean, open: Set<object>): Decoders {
  const fake =
    <Output>(made: (frame: PlayerFrame) => Output): MakeDecoder<Output> =>
    (output, failed) => {
      let isClosed = false;
      return {
        queued: 0,
        decode(frame) {
          clock.after(milli(3), () => {
            if (isClosed) return;
            if (!isUndecodable(frame)) return output(made(frame));
            isClosed = true;
            failed("undecodable");
          });
        },
        close: () => {
          isClosed = true;
        },
      };
    };
  return {
    video: () =>
      fake(({ timestampUs }) => {
        const picture = { timestamp: timestampUs, codedWidth: 16, codedHeight: 16, close: () => open.delete(picture) };
        open.add(picture);
        return picture as unknown as VideoFrame;
      }),
    audio: () =>
      fake(({ timestampUs }) => {
        const numberOfFrames = (PACKET_MS * SOUND_RATE) / 1_000;
        const copyTo = (into: Float32Array) => into.fill(1);
        const data = { sampleRate: SOUND_RATE, numberOfFrames, numberOfChannels: 1, copyTo, close: () => undefined };
        return { data: data as unknown as AudioData, timestampUs };
      }),
  };
}

/** A whole stream from a sender to a screen and a sound card, on one clock that nobody waits for. */
export function simulate(simulation: Simulation) {
  const { mode = "lowest-latency", senderPpm = 0, soundCardPpm = 0, hasSound = true } = simulation;
  const clock = new ManualClock();
  const shown: Shown[] = [];
  const events: PlayerEvent[] = [];
  const open = new Set<object>();
  const port: SoundPort & { output: SoundOutput | null } = {
    output: null,
    onmessage: null,
    postMessage: () => undefined,
  };
  let latest: FromSound | null = null;
  /** Messages between the threads take two milliseconds and more. */
  const output = new SoundOutput(SOUND_RATE, SOUND_RATE, (report) => {
    latest = report;
    clock.after(milli(2 + (report.contextMs % 7)), () => port.onmessage?.({ data: report } as MessageEvent<FromSound>));
  });
  port.postMessage = (message: ToSound) => void clock.after(milli(2), () => output.hear(message));
  const soundCardRate = 1 + soundCardPpm / 1e6;
  const missed = () => (simulation.dropout && clock.now() > 1_000 * simulation.dropout.atS ? simulation.dropout.ms : 0);
  const soundNow = () =>
    latest === null || latest.seek === 0
      ? null
      : latest.atMs + ((clock.now() - missed()) * soundCardRate - latest.contextMs);
  const senderNow = () => EPOCH_MS + clock.now() * (1 + senderPpm / 1e6);
  const show = (picture: VideoFrame, drawn: () => void) => {
    const capturedMs = picture.timestamp / 1_000;
    const sound = soundNow();
    const aheadOfSoundMs = sound === null ? null : capturedMs - sound;
    shown.push({ atS: clock.now() / 1_000, capturedMs, delayMs: senderNow() - capturedMs, aheadOfSoundMs });
    picture.close();
    drawn();
    return true;
  };
  const screen = { show, close: () => undefined };
  const parts = { screen, sound: hasSound || simulation.hasSoundCard ? port : null, clock };
  const player = new StreamPlayer(
    { ...parts, decoders: decoders(clock, simulation.isUndecodable ?? (() => false), open) },
    mode,
    (event) => events.push(event),
  );
  const audio = hasSound ? ({ codec: "opus", sampleRate: 48_000, channels: 1 } as const) : null;
  player.configure({ video: { codec: "vp8", width: 16, height: 16 }, audio });
  run(simulation, clock, player, output, { senderRate: 1 + senderPpm / 1e6, soundCardRate, missed });
  return { player, port, shown, events, open, figures: player.figures() };
}

function run(
  { seconds, hasSound = true, lateMs = () => 0, during }: Simulation,
  clock: ManualClock,
  player: StreamPlayer,
  output: SoundOutput,
  { senderRate, soundCardRate, missed }: { senderRate: number; soundCardRate: number; missed: () => number },
) {
  const sent = (track: PlayerFrame["track"], frameMs: number, perGroup: number) => {
    let number = 0;
    let lastArrival = 0;
    const send = () => {
      const capturedMs = number * frameMs;
      const [group, index] = [Math.floor(number / perGroup), number % perGroup];
      const late = lateMs(capturedMs / 1_000, { track, group });
      const timestampUs = Math.round(1_000 * (EPOCH_MS + capturedMs));
      const arrival = Math.max(lastArrival, clock.now() + 20 + (late ?? 0));
      const arrive = () => {
        const receivedAtMs = clock.now();
        player.push({ track, group, index, timestampUs, data: new Uint8Array(10), receivedAtMs });
      };
      if (late !== null) {
        lastArrival = arrival;
        clock.after(milli(arrival - clock.now()), arrive);
      }
      number++;
      clock.after(milli((number * frameMs) / senderRate - clock.now()), send);
    };
    send();
  };
  sent("video", FRAME_MS, PER_GROUP);
  if (hasSound) sent("audio", PACKET_MS, PER_GROUP);
  let blocks = 0;
  const channels = [new Float32Array(BLOCK), new Float32Array(BLOCK)];
  const render = () => {
    const contextMs = (1_000 * BLOCK * blocks++) / SOUND_RATE;
    output.render(channels, contextMs);
    const next = (1_000 * BLOCK * blocks) / SOUND_RATE / soundCardRate + missed();
    clock.after(milli(next - clock.now()), render);
  };
  if (hasSound) render();
  for (let at = 0; at < seconds; at++) {
    clock.advance(milli(1_000));
    during?.(at + 1, player);
  }
}
