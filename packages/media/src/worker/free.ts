/**
 * [Note: Frame memory] A frame goes through several buffers: what the encoder made, ciphertext and tag, what the packetizer gets.
 * The last leaves the worker. The others would wait for the garbage collector, and collecting buffers of frames stalls all of
 * a worker's tracks for milliseconds. So each owner detaches its buffer once nobody reads it any more:
 *
 * - `Sealed.spent` and `OpenedFrame.spent` are buffers that the frame in `data` was copied from. The caller frees them, and the
 *   encoder's own buffer, after it has written the frame: statistics and the eavesdropper read them first.
 * - A transferred buffer belongs to its receiver, and is not freed here.
 */

/** Frees a buffer that nobody reads any more (see [Note: Frame memory]). Its views have no bytes afterwards. */
export function free(buffer: ArrayBuffer): void {
  // Node 20 has no transfer; there the collector takes it.
  buffer.transfer?.(0);
}
