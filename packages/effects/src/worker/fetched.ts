/**
 * A file from this page's own origin, and how much of it has come, as it comes. `bytes`: how large it is, unpacked.
 * Throws where it does not come whole.
 */
export async function fetched(
  url: string,
  bytes: number,
  loaded: (share: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url);
  if (!response.ok || response.body === null) throw new Error(`${response.status} for ${url}`);
  let had = 0;
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(part, controller) {
      had += part.byteLength;
      loaded(Math.min(1, had / bytes));
      controller.enqueue(part);
    },
  });
  return new Uint8Array(await new Response(response.body.pipeThrough(counting)).arrayBuffer());
}
