import { concat, toBase64url, utf8 } from "@sealcast/bytes";
import type { CiphersuiteImpl, ClientState } from "ts-mls";
import { mlsExporter } from "ts-mls/keySchedule.js";

const LABEL = "Sealcast door";
const TOKEN_SIZE = 32;

/**
 * What a server knows of an epoch (PROTOCOL.md 3.7). Who shows the token is in the epoch; the node, its hash, names the epoch
 * without showing it. Both in base64url. Unequal in any two epochs, also in two of one number.
 */
export interface EpochNode {
  readonly token: string;
  readonly node: string;
}

export async function nodeOf({ keySchedule }: ClientState, suite: CiphersuiteImpl): Promise<EpochNode> {
  const token = await mlsExporter(keySchedule.exporterSecret, LABEL, new Uint8Array(), TOKEN_SIZE, suite);
  const hash = await crypto.subtle.digest("SHA-256", concat(utf8("Sealcast node\0"), token));
  return { token: toBase64url(token), node: toBase64url(new Uint8Array(hash)) };
}
