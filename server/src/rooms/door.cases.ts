import { generateKeyPairSync, sign } from "node:crypto";
import { role, type SocketChallenge, signedByDoor } from "./door.ts";

/** The key pair that a link yields. */
export interface Link {
  /** Its public half. */
  readonly door: string;
  /** What a message says of the door: the key, and a signature over this challenge for this use. */
  prove(use: keyof typeof role, challenge: SocketChallenge): { door: string; signature: string };
}

export function newLink(): Link {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const door = publicKey.export({ format: "jwk" }).x ?? "";
  return {
    door,
    prove: (use, challenge) => {
      const signed = signedByDoor({ door, role: role[use] }, challenge);
      return { door, signature: sign(null, signed, privateKey).toString("base64url") };
    },
  };
}

/** A token of this name: 32 bytes in base64url. */
export const token = (name: string): string => Buffer.from(name.padEnd(32)).toString("base64url");

/** An epoch's knock key, for links with these tags. */
export const knockKey = (epoch: string, ...tags: string[]) => ({
  key: token(epoch).padEnd(1622, "k"),
  tags: tags.length > 0 ? tags : ["T".repeat(22)],
});
