import { constant, equal, fromBase64url, opaque, struct, toBase64url, toHex } from "@sealcast/bytes";
import { random } from "@sealcast/crypto";
import { type Cancel, type Clock, type Milli, milli, SerialQueue } from "@sealcast/time";
import type { LiveLink } from "../../shared/live-link.ts";
import type {
  FromViewerKeys,
  LiveFromViewer,
  LiveToViewer,
  ToViewerKeys,
  ViewerDrop,
} from "../../shared/live-messages.ts";
import { SECRET_SIZE } from "../../shared/sizes.ts";
import { DoorKey } from "../identity/door-key.ts";
import { MediaKeys } from "../media-keys.ts";
import { MAX_BODY } from "../plaintext.ts";
import { type DirectionKeys, type Grant, openAnswer } from "./answer.ts";
import { type Claim, LINK_CLAIM, LIVE_TYPES, NONCE_SIZE, openWord, pskOf, RESUME_ID_SIZE, sealAsk } from "./ask.ts";
import { type ChannelContent, LiveChannel, type Rotation } from "./channel.ts";
import { newViewerKey } from "./hpke.ts";
import { rotationKeys, signingContext } from "./stream.ts";

const ASK_EVERY = milli(3000);
const ASK_EVERY_WAITING = milli(10_000);
/** How long one ask is repeated; then there is a new one. */
const ASK_LIFE = milli(60_000);
/** When a host's page loads again, all its viewers ask: not all at once. */
const ASK_SPREAD_MS = 1000;
/** Asks with a resume secret that nobody answers before the link is tried. */
const RESUME_TRIES = 5;
/** Below every rotation. */
const NO_ROTATION = -1;

const keptResume = struct({ version: constant(1), id: opaque(RESUME_ID_SIZE), secret: opaque(SECRET_SIZE) });

/** An ask under way. */
interface Asking {
  readonly body: Uint8Array;
  readonly nonce: Uint8Array;
  readonly viewerKey: Uint8Array;
  readonly privateKey: CryptoKey;
  readonly claim: Claim;
  readonly secret: Uint8Array;
  readonly since: Milli;
}

export interface LiveViewerOptions {
  readonly room: string;
  readonly link: LiveLink;
  /** The server's name as the page's address has it, with its port, in lower case. */
  readonly server: string;
  /** What `keep` gave in an earlier load of this room. */
  readonly kept: Uint8Array | null;
  /** For the first ask; made here where there is none yet. */
  readonly pair?: ReturnType<typeof newViewerKey>;
  readonly clock: Clock;
  /** Seconds since 1970. */
  readonly seconds: () => bigint;
  /** Gets everything for the page, in order. */
  readonly tell: (message: FromViewerKeys) => void;
}

type Command = Exclude<ToViewerKeys, { type: "watch" }>;

/** One viewer of one live stream: asks the host that the link names for the keys, and keeps them up to date. */
export class LiveViewer {
  readonly #options: LiveViewerOptions;
  readonly #mediaKeys: MediaKeys;
  /** Once the host has let this viewer in, in this load or an earlier one. */
  #resume: Rotation["resume"] | null;
  /** For the first ask, made before it is needed: it takes a while. */
  #pair: ReturnType<typeof newViewerKey> | null;
  #tries = 0;
  #isHostHere = false;
  #asking: Asking | null = null;
  #isWaiting = false;
  #cancelAsk: Cancel = () => undefined;
  #channel: LiveChannel | null = null;
  #stream: { id: Uint8Array; rotation: number } | null = null;
  readonly #commands = new SerialQueue();
  #isOver = false;

  constructor(options: LiveViewerOptions) {
    this.#options = options;
    this.#mediaKeys = new MediaKeys(options.clock, false);
    this.#pair = options.pair ?? newViewerKey();
    this.#resume = options.kept && keptResume.parse(options.kept);
  }

  /** Resolves when the message was dealt with. */
  receive(message: Command): Promise<void> {
    return this.#queue(() => this.#handle(message));
  }

  #queue(task: () => Promise<void> | void): Promise<void> {
    return this.#commands.run(() => (this.#isOver ? undefined : task()));
  }

  #handle(message: Command): Promise<void> | void {
    switch (message.type) {
      case "media":
        return this.#mediaKeys.attach(message.port);
      case "send":
        return this.#send(message.body);
      case "room":
        return this.#hear(message.event);
    }
  }

  #hear(event: LiveToViewer): Promise<void> | void {
    switch (event.type) {
      case "challenge":
        return this.#challenged(event.nonce);
      case "watching":
        if (!event.resumed) this.#closeChannel();
        this.#isHostHere = event.host === "here";
        return this.#isHostHere ? this.#reachHost(0) : this.#cancelAsk();
      case "host-is":
        if (event.is === "here") this.#closeChannel();
        this.#isHostHere = event.is === "here" || event.is === "back";
        return this.#isHostHere ? this.#reachHost(spread()) : this.#cancelAsk();
      case "delivered":
        return this.#delivered(fromBase64url(event.body) ?? new Uint8Array());
    }
  }

  async #challenged(nonce: string): Promise<void> {
    const { room, link, server } = this.#options;
    const key = await DoorKey.of(link.secret, room);
    this.#toRoom({ type: "watch", nonce, ...(await key.prove("watch", { nonce, host: server })) });
  }

  /** The way to the host is open: what was lost goes again, or there is nothing yet to go on with. */
  #reachHost(delay: number): Promise<void> | void {
    if (this.#channel === null) return this.#askIn(milli(delay));
    this.#channel.resend();
    return this.#channel.acknowledge();
  }

  #askIn(delay: Milli): void {
    this.#cancelAsk();
    this.#cancelAsk = this.#options.clock.after(delay, () => void this.#queue(() => this.#ask()));
  }

  async #ask(): Promise<void> {
    if (!this.#isHostHere || this.#channel !== null) return;
    const age = this.#options.clock.now() - (this.#asking?.since ?? 0);
    if (this.#asking === null || age >= ASK_LIFE) this.#asking = await this.#newAsk();
    else if (this.#asking.claim.kind === "resume" && this.#tries >= RESUME_TRIES) this.#asking = await this.#newAsk();
    this.#tries += 1;
    this.#toHost(this.#asking.body);
    this.#askIn(this.#isWaiting ? ASK_EVERY_WAITING : ASK_EVERY);
  }

  async #newAsk(): Promise<Asking> {
    const { room, link, clock, seconds } = this.#options;
    const resume = this.#tries < RESUME_TRIES ? this.#resume : null;
    const claim: Claim = resume === null ? LINK_CLAIM : { kind: "resume", resumeId: resume.id };
    const secret = resume?.secret ?? link.secret;
    const nonce = random(NONCE_SIZE);
    const { publicKey: viewerKey, privateKey } = await (this.#pair ?? newViewerKey());
    this.#pair = null;
    const body = await sealAsk(secret, room, seconds(), { ...claim, nonce, viewerKey });
    return { body, nonce, viewerKey, privateKey, claim, secret, since: clock.now() };
  }

  #delivered(body: Uint8Array): Promise<void> | void {
    if (body[0] === LIVE_TYPES.record) return this.#record(body);
    if (body[0] === LIVE_TYPES.answer) return this.#answered(body);
    return this.#word(body);
  }

  async #record(body: Uint8Array): Promise<void> {
    if (this.#channel !== null && !(await this.#channel.receive(body))) this.#drop("bad-record");
  }

  async #answered(body: Uint8Array): Promise<void> {
    if (this.#asking === null) return this.#drop("replayed-answer");
    const { nonce, viewerKey, privateKey, claim, secret } = this.#asking;
    const { room, link } = this.#options;
    const asked = { room, nonce, viewerKey, psk: pskOf(claim, secret) };
    const opened = await openAnswer(privateKey, link.host, asked, body);
    if (opened.ok) return this.#accept(opened.grant, opened.identity, opened.keys);
    // Anyone who has the link can make such an answer: it ends nothing for a viewer whom the host has let in.
    if (opened.why === "wrong-host" && this.#resume === null) return this.#refuse("wrong-host");
    this.#drop("bad-answer");
  }

  async #accept(grant: Grant, identity: Uint8Array, keys: DirectionKeys): Promise<void> {
    const { stream, signingKey } = grant;
    const isSame = this.#stream !== null && equal(this.#stream.id, stream);
    this.#asking = null;
    this.#isWaiting = false;
    this.#tries = 0;
    this.#cancelAsk();
    this.#channel = await this.#openChannel(keys);
    if (!isSame) await this.#expect(stream, signingKey);
    this.#options.tell({ type: "watching", stream: toHex(stream), identity: toHex(identity) });
    await this.#channel.acknowledge();
  }

  /** Another stream: frames of the one before open no more, and these are signed with another key. */
  async #expect(stream: Uint8Array, signingKey: Uint8Array): Promise<void> {
    this.#mediaKeys.clear();
    this.#stream = { id: stream, rotation: NO_ROTATION };
    const key = await crypto.subtle.importKey("raw", new Uint8Array(signingKey), "Ed25519", false, ["verify"]);
    this.#mediaKeys.expectSigned(0, { key, context: signingContext(this.#options.room, stream) });
  }

  #openChannel({ toViewer, toHost }: DirectionKeys): Promise<LiveChannel> {
    return LiveChannel.open({
      clock: this.#options.clock,
      sealKey: toHost,
      openKey: toViewer,
      transmit: (body) => this.#toHost(body),
      deliver: (content) => void this.#queue(() => this.#deliver(content)),
      stalled: () => void this.#queue(() => this.#askAgain()),
    });
  }

  #deliver(content: ChannelContent): Promise<void> | void {
    switch (content.type) {
      case "message":
        return this.#options.tell({ type: "message", body: content.body });
      case "rotation":
        return this.#rotated(content);
      case "farewell":
        if (content.why === "removed") return this.#refuse("removed");
        this.#mediaKeys.clear();
        this.#stream = null;
        return this.#options.tell({ type: "ended" });
    }
  }

  async #rotated({ rotation, removal, streamKey, resume, floors }: Rotation): Promise<void> {
    if (this.#stream === null || rotation < this.#stream.rotation) return this.#drop("old-rotation");
    const { id, rotation: before } = this.#stream;
    this.#keep(resume);
    // A fresh channel begins with the keys that there are.
    if (rotation === before) return;
    this.#stream = { id, rotation };
    const step = before === NO_ROTATION ? "start" : removal ? "removal" : "rotation";
    this.#mediaKeys.enter(await rotationKeys(id, rotation, streamKey, [...floors]), step);
    streamKey.fill(0);
    this.#options.tell({ type: "rotated", rotation });
  }

  #keep(resume: Rotation["resume"]): void {
    this.#resume = resume;
    const { tell, room } = this.#options;
    tell({ type: "keep", room, state: keptResume.encode(resume) });
  }

  async #word(body: Uint8Array): Promise<void> {
    if (this.#asking === null) return;
    const { nonce, secret } = this.#asking;
    const { room, link } = this.#options;
    const word = await openWord(link.host, { secret, room, nonce }, body);
    if (word === null) return this.#drop("bad-answer");
    if (word === "turned-away") return this.#refuse("turned-away");
    if (!this.#isWaiting) this.#options.tell({ type: "waiting" });
    this.#isWaiting = true;
  }

  async #send(body: Uint8Array): Promise<void> {
    if (body.length > MAX_BODY) throw new RangeError(`a message of ${body.length} bytes: at most ${MAX_BODY}`);
    if (this.#channel !== null && !(await this.#channel.send({ type: "message", body }))) this.#askAgain();
  }

  /** The host does not know this channel any more, or is too far behind. */
  #askAgain(): void {
    this.#closeChannel();
    this.#askIn(milli(0));
  }

  #closeChannel(): void {
    this.#channel?.close();
    this.#channel = null;
    this.#asking = null;
  }

  #refuse(why: Extract<FromViewerKeys, { type: "refused" }>["why"]): void {
    this.#isOver = true;
    this.#cancelAsk();
    this.#closeChannel();
    this.#mediaKeys.clear();
    this.#options.tell({ type: "refused", why });
  }

  #toHost(body: Uint8Array): void {
    this.#toRoom({ type: "tell", body: toBase64url(body) });
  }

  #toRoom(message: LiveFromViewer): void {
    this.#options.tell({ type: "to-room", message });
  }

  #drop(what: ViewerDrop): void {
    this.#options.tell({ type: "dropped", what });
  }
}

function spread(): number {
  return (ASK_SPREAD_MS * new DataView(random(4).buffer).getUint32(0)) / 2 ** 32;
}
