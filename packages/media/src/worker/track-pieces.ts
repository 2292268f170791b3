import { type Clock, milli } from "@sealcast/time";

/** So long after a track's stream came from the page, pieces of it may be on their way there, even if the page stands still at times. */
const ON_THE_WAY = milli(4_000);

/** A picture or a piece of sound: memory that waits to be given back. */
interface Piece {
  close(): void;
}

/**
 * Gives `take` each piece of a track, which it closes, for as long as they are wanted, and ends the stream afterwards.
 * Resolves once no more come, also where the track failed: the page hears of that from the track itself.
 *
 * Chromium sends the first pieces by way of the page. Where a stream is cancelled meanwhile, it drops those on their way
 * without closing them; so what is not wanted any more is read on for a while.
 */
export async function takeEach<P extends Piece>(
  stream: ReadableStream<P>,
  take: (piece: P) => void,
  isWanted: () => boolean,
  clock: Clock,
): Promise<void> {
  const reader = stream.getReader();
  const came = clock.now();
  for (;;) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done || value === undefined) return;
    if (isWanted()) {
      take(value);
      continue;
    }
    value.close();
    if (clock.now() - came >= ON_THE_WAY) return void reader.cancel().catch(() => undefined);
  }
}
