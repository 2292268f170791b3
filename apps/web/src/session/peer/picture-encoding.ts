import type { MediaPool } from "@sealcast/media";
import type { Milli } from "@sealcast/time";
import type { Lifetime } from "../lifetime.ts";
import { CodecChoice } from "./codec-choice.ts";
import { decodable } from "./codecs.ts";
import { EncodeOnce } from "./encode-once.ts";

/** Someone to whom this person's picture goes. */
export interface Receiver {
  /** The video codecs that they decode; null until they have said. */
  readonly decodes: readonly string[] | null;
  readonly peer: EncodedFor;
}

export interface EncodedFor {
  /** They have a connection, or one is being made. */
  readonly isLinked: boolean;
  /** It stands for several. */
  readonly serves?: "many";
  /** In which the picture goes there; null where none does, undefined until one is chosen. */
  readonly codec: string | null | undefined;
  encodeAs(codec: string | null): Promise<void>;
  encodeOnce(once: boolean): Promise<void>;
}

/** By whatever names one of them for as long as they are here. */
export type Receivers = ReadonlyMap<string, Receiver>;

/** How this person's picture is encoded: in one codec for all who decode it, and once for all of these where that can be. */
export class PictureEncoding {
  readonly #receivers: () => Receivers;
  readonly #pool: () => MediaPool | null;
  readonly #once: EncodeOnce;
  readonly #codecs: CodecChoice;
  #decodable: readonly string[] | null = null;

  constructor(life: Lifetime, pool: () => MediaPool | null, receivers: () => Receivers) {
    this.#pool = pool;
    this.#receivers = receivers;
    this.#once = new EncodeOnce(life.clock, () => this.spread());
    this.#codecs = new CodecChoice(life.clock, () => this.choose());
    life.bind(() => {
      this.#codecs.close();
      this.#once.close();
    });
  }

  /** Someone came or went, or said what they decode: one encoder can serve all who decode the same. */
  choose(): void {
    const receivers = this.#receivers();
    const said = [...receivers].map(([id, { decodes }]) => [id, decodes] as const);
    const codecs = this.#codecs.choose(this.#own, new Map(said));
    const { shared } = this.#codecs;
    if (shared !== null) for (const fanOut of Object.values(this.#pool()?.fanOuts ?? {})) fanOut.encodeAs(shared);
    for (const [id, codec] of codecs) void receivers.get(id)?.peer.encodeAs(codec);
    this.spread();
  }

  /** The codec for all if `id` were among the receivers and decoded this, and `without` were not, and how long until it can be that. */
  with(id: string, decodes: readonly string[], without: string): { codec: string | null; wait: Milli } {
    return this.#codecs.with(this.#own, id, decodes, without);
  }

  /** With the second receiver, one encoder takes over from those of the links; with the last but one to go, they take over again. */
  spread(): void {
    const { shared } = this.#codecs;
    const peers = [...this.#receivers().values()].map(({ peer }) => peer);
    const served = peers.filter(({ isLinked, codec }) => isLinked && shared !== null && codec === shared);
    const many = served.filter(({ serves }) => serves === "many").length;
    const once = shared !== null && this.#once.isOnce(served.length + many, shared);
    for (const peer of peers) void peer.encodeOnce(once && served.includes(peer));
  }

  /** What this browser decodes: asked for once. */
  get #own(): readonly string[] {
    this.#decodable ??= decodable();
    return this.#decodable;
  }

  /** One encoder for several does not work here after all. */
  fail(): void {
    this.#once.fail();
  }
}
