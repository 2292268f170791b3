/** `length` bytes from the platform's secure generator; at most 65,536. */
export function random(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}
