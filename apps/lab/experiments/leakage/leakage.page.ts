import { importBaseKey, random } from "@sealcast/crypto";
import type { Policy } from "@sealcast/frame";
import { Keyring, type Layers, ONE_LAYER, Policies, Sealer } from "@sealcast/media/sealing";
import { pictures } from "../../src/page/record.ts";
import { Attacker, dataOf, encoded, type Intercepted, intercept } from "./attacker.page.ts";
import { type ComparedPicture, compared, grey } from "./compared.page.ts";
import { ContactSheet } from "./contact-sheet.page.ts";
import type { AttackResult, FilmEncoding, Leak, LeakCodec, LeakTest, Strategy } from "./leakage.ts";
import { achieved, STRATEGIES, strongest } from "./leakage.ts";
import { outlines } from "./outlines.page.ts";
import { ssim } from "./ssim.page.ts";

const SIZE = { width: 640, height: 360 };
const BITS_PER_SECOND = 800_000;
const FRAMES_PER_SECOND = 25;
/** In a call someone asks for one now and then. */
const KEY_FRAME_EVERY = 50;
/** Which picture the contact sheet shows, as a share of the film: one well behind a key frame. */
const SHOWN = 0.76;
const EPOCH = 1;
/** `getRandomValues` gives at most this many bytes. */
const RANDOM_PIECE = 65_536;

const CONFIGS: Record<LeakCodec, Pick<VideoEncoderConfig, "codec" | "avc">> = {
  vp8: { codec: "vp8" },
  vp9: { codec: "vp09.00.10.08" },
  h264: { codec: "avc1.42001f", avc: { format: "annexb" } },
  av1: { codec: "av01.0.04M.08" },
};

/** What the best of all ciphers would show: random bytes. */
const RANDOM_BYTES: Layers = {
  tag: ONE_LAYER.tag,
  cipher: async () => ({
    seal: async (_counter, _aad, plaintext) => randomBytes(plaintext.length + ONE_LAYER.tag),
    open: async () => null,
  }),
};

/** The film in one encoding, and who attacks it. */
interface Track {
  chunks: EncodedVideoChunk[];
  attacker: Attacker;
}

/** Some seconds of the camera's picture, encoded, sealed under policies, and attacked. */
export class Leakage {
  readonly #film: readonly VideoFrame[];
  readonly #source: readonly ComparedPicture[];
  readonly #tracks = new Map<string, Promise<Track>>();
  readonly #shown: number;
  readonly #sheet: ContactSheet;

  private constructor(film: readonly VideoFrame[]) {
    this.#film = film;
    this.#source = film.map((picture) => compared(picture));
    this.#shown = Math.floor(SHOWN * film.length);
    this.#sheet = new ContactSheet(this.#source[this.#shown]?.picture ?? grey().picture);
  }

  static async film(frames: number): Promise<Leakage> {
    const film: VideoFrame[] = [];
    await pictures(SIZE.width, SIZE.height, frames, (picture, number) => {
      film.push(new VideoFrame(picture, { timestamp: (number * 1_000_000) / FRAMES_PER_SECOND }));
      picture.close();
    });
    return new Leakage(film);
  }

  /** The encodings that this browser both makes and decodes. */
  static async encodings(): Promise<FilmEncoding[]> {
    const codecs = ["vp8", "vp9", "h264", "av1"] as const;
    const modes = ["L1T1", "L1T3"] as const;
    const all = codecs.flatMap((codec) => modes.map((scalabilityMode) => ({ codec, scalabilityMode })));
    const supported = await Promise.all(all.map(isSupported));
    return all.filter((_, index) => supported[index]);
  }

  /** The mean SSIM of a grey picture and the film's. */
  get greySsim(): number {
    const { luma } = grey();
    return mean(this.#source.map((source) => ssim(source.luma, luma)));
  }

  /** A PNG in Base64 of what every test so far showed. */
  get sheet(): Promise<string> {
    return this.#sheet.png();
  }

  async run({ encoding, policy, random, runs, name }: LeakTest): Promise<Leak> {
    const { attacker, chunks } = await this.#track(encoding);
    const leak: Leak = { sealedFrames: 0, sealedBytes: 0, attacks: { readable: [], ciphertext: [], unbroken: [] } };
    const stills = new Map<Strategy, ImageData>();
    for (let run = 0; run < runs; run++) {
      const frames = await seal(encoding.codec, chunks, policy, random ? RANDOM_BYTES : ONE_LAYER);
      leak.sealedFrames += mean(frames.map(({ readable }) => (readable ? 0 : 1))) / runs;
      leak.sealedBytes += sum(frames.map(({ hidden }) => hidden)) / sum(chunks.map(sizeOf)) / runs;
      for (const strategy of STRATEGIES) {
        const { still, ...attack } = await this.#attack(attacker, strategy, frames);
        leak.attacks[strategy].push(attack);
        stills.set(strategy, still);
      }
    }
    this.#show(name, encoding, leak, stills);
    return leak;
  }

  #track(encoding: FilmEncoding): Promise<Track> {
    const name = nameOf(encoding);
    const track = this.#tracks.get(name) ?? trackOf(encoding, this.#film);
    this.#tracks.set(name, track);
    return track;
  }

  /** Compares what the attacker has on screen with each picture of the film at its time. */
  async #attack(
    attacker: Attacker,
    strategy: Strategy,
    frames: readonly Intercepted[],
  ): Promise<AttackResult & { still: ImageData }> {
    const likeness = { ssim: [] as number[], outlines: [] as number[] };
    let screen = grey();
    let still = screen.picture;
    const passUntil = (end: number) => {
      for (const source of this.#source.slice(likeness.ssim.length, end)) {
        if (likeness.ssim.length === this.#shown) still = screen.picture;
        likeness.ssim.push(ssim(source.luma, screen.luma));
        likeness.outlines.push(outlines(source.edges, screen.edges));
      }
    };
    await attacker.watch(strategy, frames, (picture) => {
      passUntil(this.#film.findIndex(({ timestamp }) => timestamp === picture.timestamp));
      screen = compared(picture);
    });
    passUntil(this.#source.length);
    return { ssim: overall(likeness.ssim), outlines: overall(likeness.outlines), still };
  }

  /** Of the last run. By its outlines: a picture may show more to eyes than grey does, though it is less like the source. */
  #show(row: string, encoding: FilmEncoding, leak: Leak, stills: ReadonlyMap<Strategy, ImageData>): void {
    const { strategy, mean } = strongest(leak, "outlines");
    const caption = `${strategy}: outlines ${mean.toFixed(2)}, SSIM ${achieved(leak, strategy, "ssim").mean.toFixed(2)}`;
    this.#sheet.add({ row, column: nameOf(encoding), caption, picture: stills.get(strategy) ?? grey().picture });
  }
}

function nameOf({ codec, scalabilityMode }: FilmEncoding): string {
  return `${codec} ${scalabilityMode}`;
}

function configOf({ codec, scalabilityMode }: FilmEncoding): VideoEncoderConfig {
  const rate = { bitrate: BITS_PER_SECOND, framerate: FRAMES_PER_SECOND };
  return { ...CONFIGS[codec], ...SIZE, ...rate, scalabilityMode, latencyMode: "realtime" };
}

async function isSupported(encoding: FilmEncoding): Promise<boolean> {
  const { codec } = CONFIGS[encoding.codec];
  const [encodes, decodes] = await Promise.all([
    VideoEncoder.isConfigSupported(configOf(encoding)),
    VideoDecoder.isConfigSupported({ codec }),
  ]);
  return encodes.supported === true && decodes.supported === true;
}

async function trackOf(encoding: FilmEncoding, film: readonly VideoFrame[]): Promise<Track> {
  const config = configOf(encoding);
  return { chunks: await encoded(config, film, KEY_FRAME_EVERY), attacker: await Attacker.ready(config) };
}

/** Seals the frames under a fresh key, and gives what an attacker sees of them. */
async function seal(codec: LeakCodec, chunks: readonly EncodedVideoChunk[], policy: Policy, layers: Layers) {
  const keyring = new Keyring(layers);
  keyring.apply({
    type: "epoch",
    id: EPOCH,
    epoch: EPOCH,
    leaf: 0,
    leaves: [0, 1],
    baseKey: await importBaseKey(random(32)),
    outerKey: null,
  });
  keyring.apply({ type: "send", epoch: EPOCH });
  const policies = new Policies();
  policies.follow("camera", EPOCH, policy);
  const sealer = new Sealer(keyring, policies, "video", { source: "camera", instance: 0 });
  const frames: Intercepted[] = [];
  for (const chunk of chunks) {
    const sealed = await sealer.seal(dataOf(chunk), `video/${codec}`, chunk.type === "key");
    if (!sealed.ok) throw new Error(`a frame was not sealed: ${sealed.drop}`);
    frames.push(intercept(codec, sealed.data, chunk));
  }
  return frames;
}

function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += RANDOM_PIECE) bytes.set(random(Math.min(RANDOM_PIECE, length - at)), at);
  return bytes;
}

function sizeOf({ byteLength }: EncodedVideoChunk): number {
  return byteLength;
}

function overall(values: readonly number[]) {
  return { mean: mean(values), max: Math.max(...values) };
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
