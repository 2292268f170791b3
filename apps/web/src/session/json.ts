import * as v from "valibot";

/** JSON in UTF-8, as pages say it to each other. */
export function toJson(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** The same JSON, with white space behind it up to a multiple of `step` bytes. */
export function padded(json: Uint8Array, step: number): Uint8Array {
  const all = new Uint8Array(Math.ceil(json.length / step) * step).fill(0x20);
  all.set(json);
  return all;
}

/** Null: longer than `most` bytes, or nothing that `schema` knows. The other end may send anything. */
export function parseJson<T>(schema: v.GenericSchema<unknown, T>, bytes: Uint8Array, most: number): T | null {
  if (bytes.length > most) return null;
  try {
    const parsed = v.safeParse(schema, JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}
