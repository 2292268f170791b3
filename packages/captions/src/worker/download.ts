import type { ModelFile } from "../shared/messages.ts";

/**
 * Loads files side by side; the browser's own cache keeps them, since their addresses never change their content.
 *
 * @param told hears which share of all bytes is there, 0 to 1
 * @throws where a file does not come, or is longer or shorter than it has to be
 */
export async function download<Name extends string>(
  files: Readonly<Record<Name, ModelFile>>,
  told: (share: number) => void,
): Promise<Record<Name, Uint8Array<ArrayBuffer>>> {
  const all = Object.entries<ModelFile>(files);
  const total = all.reduce((sum, [, { bytes }]) => sum + bytes, 0);
  let loaded = 0;
  const came = (bytes: number) => {
    loaded += bytes;
    told(loaded / total);
  };
  const contents = await Promise.all(all.map(async ([name, file]) => [name, await load(file, came)] as const));
  return Object.fromEntries(contents) as Record<Name, Uint8Array<ArrayBuffer>>;
}

async function load({ url, bytes }: ModelFile, came: (bytes: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(url);
  if (!response.ok || response.body === null) throw new Error(`${url} did not load.`);
  const content = new Uint8Array(bytes);
  let at = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (at + part.value.length > bytes) throw new Error(`${url} is longer than it has to be.`);
    content.set(part.value, at);
    at += part.value.length;
    came(part.value.length);
  }
  if (at < bytes) throw new Error(`${url} is shorter than it has to be.`);
  return content;
}
