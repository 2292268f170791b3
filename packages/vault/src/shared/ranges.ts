/**
 * Open files have addresses at which this page's media elements read them, range by range. A service worker answers there with
 * what it is given by the page that asks, and has nothing itself.
 */

/** Addresses of open files begin with it, and end with a token. The server has nothing there. */
export const OPENED = "/vault/opened/";

/** From the service worker to the page whose element asks. A port for the one answer comes along. */
export interface RangeRequest {
  readonly token: string;
  /** The Range header. */
  readonly range: string | null;
}

export type RangeAnswer =
  | {
      readonly type: "part";
      readonly at: number;
      /** Of the whole file. */
      readonly size: number;
      readonly kind: string;
      /** Transferred. */
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
  /** Of a file of `bytes`. */
  | { readonly type: "not-in-range"; readonly size: number }
  /** The file was closed, or does not authenticate there. */
  | { readonly type: "gone" };

/** From the page, with a port: asks to answer its elements. True is answered where it does. */
export const CLAIM = "claim";

/** Of what one answer holds. */
const MOST_BYTES = 1024 * 1024;

/**
 * The part of a file of `size` bytes that a Range header asks for (RFC 9110 section 14.1.2): its beginning, where it is long.
 * Null: there is no such part, or it asks for several.
 */
export function partOf(range: string | null, size: number): { at: number; length: number } | null {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? "") ?? [];
  if (first === "" && last === "") return null;
  const at = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(Number(last) + 1, size);
  return at < end ? { at, length: Math.min(end - at, MOST_BYTES) } : null;
}
