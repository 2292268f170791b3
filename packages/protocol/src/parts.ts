import * as v from "valibot";
import { MAX_MESSAGE, MAX_RELAY } from "./limits.ts";

export const base64url = (max: number) =>
  v.pipe(v.string(), v.maxLength(max), v.regex(/^[A-Za-z0-9_-]+$/, "not base64url"));
const newId128 = () => v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{22}$/, "not a 128-bit id"));
export const id128 = newId128();
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** 128-bit id of a live room, base64url. */
export const Room = newId128();
/** 32 bytes in base64url: a door (Ed25519 public key), a token of an epoch, a node, a nonce. The unused bits are zero. */
export const Key = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/, "not 32 bytes"));
/** An Ed25519 signature, 64 bytes in base64url. */
export const Signature = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{85}[AQgw]$/, "not 64 bytes"));
/** A connected client as the server names it: random, says nothing of the person behind it. */
export const MemberId = newId128();
/** Opaque end-to-end encrypted bytes, base64url. */
export const Body = base64url(MAX_RELAY);
export const LargeBody = base64url(MAX_MESSAGE);

/** A public key of X-Wing, 1,216 bytes in base64url. */
export const KemKey = v.pipe(base64url(1622), v.length(1622));

/** Where pages open a socket to the media relay: a scheme, a host, and a port where it is not the usual one. */
export const RelayOrigin = v.pipe(
  v.string(),
  v.maxLength(300),
  v.regex(/^wss?:\/\/[\w.:[\]-]+$/, "not ws://HOST or wss://HOST"),
);
/** Where pages reach a relay of live streams: by http one on their own computer alone. */
export const LiveRelayOrigin = v.pipe(
  v.string(),
  v.maxLength(300),
  v.regex(/^(https:\/\/[\w.:[\]-]+|http:\/\/(127\.0\.0\.1|localhost)(:\d{1,5})?)$/, "not https://HOST"),
);
/** A signed JSON Web Token (RFC 7519). */
export const SignedToken = v.pipe(
  v.string(),
  v.maxLength(1024),
  v.regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/, "not a token"),
);
/** A URL of a TURN server (RFC 7065). Browsers speak TURN over TLS on TCP alone. */
export const TurnUrl = v.pipe(
  v.string(),
  v.maxLength(300),
  v.regex(/^(turn:[\w.:[\]-]+(\?transport=(udp|tcp))?|turns:[\w.:[\]-]+(\?transport=tcp)?)$/, "not a TURN URL"),
);

/** Why the server ends a socket. */
export const FaultCode = v.picklist([
  "malformed",
  "too-large",
  "version",
  "not-joined",
  "refused-door",
  "room-full",
  "too-slow",
  "idle",
  "replaced",
  "dismissed",
]);
