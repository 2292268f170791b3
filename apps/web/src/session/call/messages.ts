import type { GroupMember } from "@sealcast/keys";
import { isCaption } from "../captions/caption.ts";
import type { Captions } from "../captions/captions.ts";
import type { Devices } from "../devices/devices.ts";
import type { Device } from "../devices/local.ts";
import type { Files } from "../files/files.ts";
import { padded, toJson } from "../json.ts";
import type { MediaSession } from "../media-session.ts";
import { decodable } from "../peer/codecs.ts";
import type { MediaRelay } from "../relay/media-relay.ts";
import type { Talk } from "../talk/talk.ts";
import { isTalk } from "../talk/talk-message.ts";
import { HeldTalk } from "./held-talk.ts";
import type { PostToKeys } from "./keys.ts";
import { type Announcement, type MemberMessage, type Profile, parseMessage } from "./message.ts";
import type { People } from "./people.ts";

interface MessagesOptions {
  people: People;
  media: MediaSession;
  devices: Devices;
  talk: Talk;
  files: Files;
  captions: Captions;
  relay: Pick<MediaRelay, "heard">;
  post: PostToKeys;
}

/**
 * The length of a message is a multiple of this, bytes: nobody outside the group sees by its length what kind of message it is, nor,
 * of a short one, how much it says.
 */
const STEP = 1_024;

/** All who are still here have it. `missed`: identities of those who went without it, as far as is known. */
type Delivered = (missed: readonly string[]) => void;

/** What members' pages say to each other inside the group's encryption. */
export class Messages {
  readonly #options: MessagesOptions;
  /** By receipt: what is to be done once everybody has it. */
  readonly #delivered = new Map<number, Delivered>();
  readonly #held = new HeldTalk();
  #receipts = 0;
  #version = 0;

  constructor(options: MessagesOptions) {
    this.#options = options;
  }

  /** To a member by leaf key, or to "all". `as`: only as long as this page has that leaf, and without a word where it has not. */
  tell(to: string, message: MemberMessage, delivered?: Delivered, as?: string): void {
    const receipt = this.#receipts++;
    if (delivered !== undefined) this.#delivered.set(receipt, delivered);
    const body = padded(toJson(message), STEP);
    const asked = { ...(delivered !== undefined && { receipt }), ...(as !== undefined && { as }) };
    const words = { type: "send", to, body, ...asked } as const;
    this.#held.send(message, () => this.#options.post(words));
  }

  /** Whether what people say waits: someone who is in the group is being removed. */
  holdTalk(isHeld: boolean): void {
    this.#held.hold(isHeld);
    this.#options.talk.hold(isHeld);
  }

  /** The keys worker's word on what was told with that receipt. */
  delivered({ receipt, missed }: { receipt: number; missed: readonly string[] }): void {
    this.#delivered.get(receipt)?.(missed);
    this.#delivered.delete(receipt);
  }

  /** What this page sends and decodes. */
  tellProfile(to: string): void {
    this.tell(to, this.#profile());
  }

  /** That member is here now, and knows nothing of this page yet. */
  met(leafKeyId: string): void {
    this.tellProfile(leafKeyId);
    this.#options.talk.met(leafKeyId);
    this.#options.captions.met(leafKeyId);
  }

  heard(from: GroupMember, body: Uint8Array): void {
    const peer = this.#options.people.peers.get(from.leafKeyId);
    if (!peer?.takesMessage()) return;
    const message = parseMessage(body);
    if (message === null) return;
    if (message.type === "profile") {
      peer.profiled(message);
      this.#options.media.encoding.choose();
    } else if (message.type === "policy") this.#announced(from, message);
    else if (isTalk(message)) this.#options.talk.heard(peer, message);
    else if (message.type === "relay") this.#options.relay.heard(from.leafKeyId, message);
    else if (message.type === "file") void this.#options.files.offered(from, message);
    else if (isCaption(message)) this.#options.captions.heard({ id: from.leafKeyId, identity: from.identity }, message);
    else peer.link.receive(message);
  }

  /** Of an epoch that is still to come, nobody can speak: it begins with everything sealed. */
  #announced({ leaf }: GroupMember, { source, epoch, policy }: Announcement): void {
    const { media } = this.#options;
    if (media.epoch !== null && epoch <= media.epoch) media.pool?.announced({ leaf, source, epoch, policy });
  }

  #profile(): Profile {
    const { local } = this.#options.devices;
    const { camera, microphone, screen } = local.view;
    const screenSound = local.screen.sound !== null;
    const on = { camera: isGiven(camera), microphone: isGiven(microphone), screen, screenSound };
    return { type: "profile", version: this.#version++, ...on, decodes: decodable() };
  }
}

/** It is on, and nothing else has taken it. */
function isGiven({ on, problem }: Device): boolean {
  return on && problem === null;
}
