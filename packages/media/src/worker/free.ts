/**
 * Gives back the memory of a buffer that nobody reads any more. Collecting buffers of frames stalls all of a worker's
 * tracks for milliseconds.
 */
export function free(buffer: ArrayBuffer): void {
  // Node 20 has no transfer; there the collector takes it.
  buffer.transfer?.(0);
}
