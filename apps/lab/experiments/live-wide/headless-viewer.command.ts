import { MessageChannel, type MessagePort } from "node:worker_threads";
import { parseSignedBatch } from "@sealcast/frame";
import type { LiveLink } from "@sealcast/keys/live-link";
import { Keyring, ONE_LAYER, Opener, Policies, Verifier } from "@sealcast/media/sealing";
import type { LiveRelaySubscriber } from "@sealcast/network/live-relay-subscriber";
import type { RelayedFrame } from "@sealcast/protocol";
import "@sealcast/testbed/with-resolvers";
import { SerialQueue, systemClock } from "@sealcast/time";
import * as v from "valibot";
import { WebSocket } from "ws";
import { type RelayAccess, SimulatedViewer } from "../live-keys/simulated-viewer.command.ts";

const SIGNATURES = "signatures";
const HOST = { leaf: 0, source: "camera" } as const;
/** The server does not answer who asks too often. */
const GIVEN_WITHIN_MS = 5_000;
const DECODES = ["video/h264", "video/vp8", "video/vp9", "video/av1"];

/** What a host's page says of its stream at relays, as far as it is needed here. */
const Relayed = v.object({
  type: v.literal("relay"),
  codec: v.string(),
  sizes: v.pipe(v.array(v.object({ width: v.number(), height: v.number() })), v.minLength(1)),
});

/** With the WebSocket that it takes from browsers. */
export async function loadSubscriber(): Promise<typeof LiveRelaySubscriber> {
  Object.assign(globalThis, { WebSocket });
  // It tells of each track, and of each relay that it loses.
  for (const level of ["debug", "info", "warn", "error"] as const) console[level] = () => undefined;
  return (await import("@sealcast/network/live-relay-subscriber")).LiveRelaySubscriber;
}

/** A viewer without a page, who takes the smallest picture from a relay, opens each frame and holds it against its signature. */
export class HeadlessViewer {
  readonly keys: SimulatedViewer;
  readonly #Subscriber: typeof LiveRelaySubscriber;
  readonly #keyring = new Keyring(ONE_LAYER);
  readonly #opening = new SerialQueue();
  #sealing: { verifier: Verifier; opener: Opener };
  #subscriber: LiveRelaySubscriber | null = null;
  #given: (access: RelayAccess) => void = () => undefined;
  #keysPort: MessagePort | null = null;
  /** Whether frames are opened and held against signatures, or taken alone. */
  opens = true;
  /** Frames opened so far. */
  opened = 0;
  /** Since `forget`: frames that were sealed between those that opened and did not come, and frames refused. */
  lost = 0;
  refused = 0;
  isForged = false;
  /** From the host's encoder until it was opened, milliseconds, since `forget`. */
  latencies: number[] = [];
  /** When the last one was opened, and the longest time between two, since `forget`. */
  lastAt = Number.NaN;
  longestGapMs = 0;

  constructor(port: number, room: string, link: LiveLink, Subscriber: typeof LiveRelaySubscriber) {
    this.#Subscriber = Subscriber;
    this.#sealing = this.#afresh();
    this.keys = new SimulatedViewer(port, room, link, {
      heard: (body) => this.#heard(body),
      relayGiven: (access) => this.#given(access),
    });
  }

  /** Done when the host has let this viewer in. Without `overRelay` it takes a place among those with a connection. */
  async join(overRelay: boolean): Promise<void> {
    await this.keys.prepare();
    this.keys.ask();
    await this.keys.answered();
    await this.keys.accept();
    const { port1, port2 } = new MessageChannel();
    this.#keysPort = port1;
    port1.on("message", (update) => this.#keyring.apply(update));
    await this.keys.keysTo(port2);
    const hello = { type: "hello", decodes: DECODES, plays: DECODES, fresh: true, listens: false };
    await this.#say(overRelay ? { ...hello, unreached: "connection" } : hello);
  }

  /** Counts from here on. */
  forget(): void {
    this.latencies = [];
    this.lost = 0;
    this.refused = 0;
    this.longestGapMs = 0;
    this.lastAt = performance.now();
  }

  close(): void {
    this.#subscriber?.close();
    this.#keysPort?.close();
    this.keys.close();
  }

  #say(message: object): Promise<void> {
    return this.keys.say(new TextEncoder().encode(JSON.stringify(message)));
  }

  #heard(body: Uint8Array): void {
    const said = v.safeParse(Relayed, JSON.parse(new TextDecoder().decode(body)));
    if (!said.success || this.#subscriber !== null) return;
    const { codec, sizes } = said.output;
    this.#subscriber = new this.#Subscriber({
      access: () => this.#access(),
      state: ({ is }) => {
        if (is === "connecting") this.#sealing = this.#afresh();
      },
      frame: (track, frame) => this.#frame(track, frame, codec),
      cut: () => undefined,
    });
    this.#subscriber.watch(SIGNATURES, 3);
    this.#subscriber.watch(`video${sizes.length - 1}`, 1);
    void this.#say({ type: "relayed", shown: true });
  }

  /** With a relay the signatures of what came last are lost, of which nobody is accused. */
  #afresh(): { verifier: Verifier; opener: Opener } {
    const verifier = new Verifier(this.#keyring, HOST, systemClock, (verdict) => {
      this.isForged ||= verdict === "forged" && verifier === this.#sealing.verifier;
    });
    return { verifier, opener: new Opener(this.#keyring, new Policies(), "video", HOST, verifier) };
  }

  /** Null: the server gives none for now. */
  #access(): Promise<RelayAccess | null> {
    return new Promise((resolve) => {
      this.#given = resolve;
      this.keys.askRelay();
      setTimeout(resolve, GIVEN_WITHIN_MS, null);
    });
  }

  #frame(track: string, frame: RelayedFrame, codec: string): void {
    if (!this.opens) return;
    if (track !== SIGNATURES) return void this.#opening.run(() => this.#open(frame, codec));
    const signed = parseSignedBatch(frame.data);
    if (signed !== null) void this.#sealing.verifier.take(signed);
  }

  async #open({ data, index, timestampUs }: RelayedFrame, codec: string): Promise<void> {
    const opened = await this.#sealing.opener.open(data.buffer, codec, index === 0);
    if (!opened.ok) {
      this.refused++;
      return;
    }
    const now = performance.now();
    if (this.opened++ > 0) this.lost += opened.missing;
    this.latencies.push(performance.timeOrigin + now - timestampUs / 1_000);
    this.longestGapMs = Math.max(this.longestGapMs, now - this.lastAt || 0);
    this.lastAt = now;
  }
}
