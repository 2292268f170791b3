import type { GroupMember } from "@sealcast/keys";
import type { Devices } from "../devices/devices.ts";
import { toJson } from "../json.ts";
import type { MediaSession } from "../media-session.ts";
import { decodable } from "../peer/codecs.ts";
import type { PostToKeys } from "./keys.ts";
import { type Announcement, type MemberMessage, type Profile, parseMessage } from "./message.ts";
import type { People } from "./people.ts";

interface MessagesOptions {
  people: People;
  media: MediaSession;
  devices: Devices;
  post: PostToKeys;
}

/** What members' pages say to each other inside the group's encryption. */
export class Messages {
  readonly #options: MessagesOptions;
  #version = 0;

  constructor(options: MessagesOptions) {
    this.#options = options;
  }

  /** To a member by leaf key, or to "all". With a receipt, the keys worker says when all of them have it. */
  tell(to: string, message: MemberMessage, receipt?: number): void {
    const body = toJson(message);
    this.#options.post({ type: "send", to, body, ...(receipt !== undefined && { receipt }) });
  }

  /** What this page sends and decodes. */
  tellProfile(to: string): void {
    this.tell(to, this.#profile());
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
    else peer.link.receive(message);
  }

  /** Of an epoch that is still to come, nobody can speak: it begins with everything sealed. */
  #announced({ leaf }: GroupMember, { source, epoch, policy }: Announcement): void {
    const { media } = this.#options;
    if (media.epoch !== null && epoch <= media.epoch) media.pool?.announced({ leaf, source, epoch, policy });
  }

  #profile(): Profile {
    const { camera, microphone, screen } = this.#options.devices.local.view;
    const on = { camera: camera.on, microphone: microphone.on, screen };
    return { type: "profile", version: this.#version++, ...on, decodes: decodable() };
  }
}
