import { fromHex } from "@sealcast/bytes";
import type { GroupMember } from "../../shared/messages.ts";
import type { MediaKeys } from "../media-keys.ts";
import type { Group } from "../mls/group.ts";

/**
 * Tells media workers with which keys members sign frames that a media relay passes on: each with the signature key of its own
 * leaf, which the group itself vouches for.
 */
export class FrameSigners {
  readonly #mediaKeys: Pick<MediaKeys, "sign" | "expectSigned">;
  readonly #context: string;
  /** By leaf: whose key is known, by leafKeyId. */
  readonly #known = new Map<number, string>();

  constructor(mediaKeys: Pick<MediaKeys, "sign" | "expectSigned">, room: string) {
    this.#mediaKeys = mediaKeys;
    this.#context = `call ${room}`;
  }

  /** The group in a new epoch. To be called before media workers get that epoch's keys. */
  async enter(group: Pick<Group, "members" | "signingKey">): Promise<void> {
    const news = group.members.filter(({ leaf, leafKeyId }) => this.#known.get(leaf) !== leafKeyId);
    await Promise.all(news.map((member) => (member.me ? this.#sign(group, member) : this.#expect(member))));
  }

  async #sign(group: Pick<Group, "signingKey">, { leaf, leafKeyId }: GroupMember): Promise<void> {
    this.#mediaKeys.sign({ key: await group.signingKey(), context: this.#context });
    this.#known.set(leaf, leafKeyId);
  }

  async #expect({ leaf, leafKeyId }: GroupMember): Promise<void> {
    const bytes = fromHex(leafKeyId);
    if (bytes === null) throw new Error("a leaf key that is no hex");
    const key = await crypto.subtle.importKey("raw", new Uint8Array(bytes), "Ed25519", false, ["verify"]);
    this.#mediaKeys.expectSigned(leaf, { key, context: this.#context });
    this.#known.set(leaf, leafKeyId);
  }
}
