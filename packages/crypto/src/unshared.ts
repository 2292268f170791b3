/**
 * `bytes` with the type that Web Crypto wants. Nothing here lies in shared memory; if it ever did, Web Crypto would
 * refuse it with a TypeError.
 */
export function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>;
}
