import { createHmac } from "node:crypto";
import type { Down } from "@sealcast/protocol";
import { randomId } from "./random.ts";

/** Seconds. What is in use when they expire goes on; what is new takes new ones. */
const LIFE = 3_600;

/** A TURN server (RFC 8656) that shares a secret with this one, as coturn does with `use-auth-secret`. */
export interface TurnConfig {
  /** RFC 7065: the same server over UDP, TCP and TLS. */
  readonly urls: readonly string[];
  readonly secret: string;
}

/** The answer to `turn`. */
export type TurnAnswer = Extract<Down, { type: "turn" }>;

/**
 * Credentials of the TURN REST API (draft-uberti-behave-turn-rest-00, section 2.2): the user name is the second in which they
 * expire and a random name, which says nothing of anyone; the password is the HMAC-SHA1 of that under the secret.
 *
 * @param now - Milliseconds since 1970.
 */
export function turnCredentials({ urls, secret }: TurnConfig, now: number, name: string = randomId()): TurnAnswer {
  const username = `${Math.floor(now / 1_000) + LIFE}:${name}`;
  const credential = createHmac("sha1", secret).update(username).digest("base64");
  return { type: "turn", urls: [...urls], username, credential, validFor: LIFE };
}
