import { parseLink, parseLiveLink } from "@sealcast/keys";

/** What a person pasted, as far as it is a link that this site opens. */
export type Invite =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly why: "none" | "damaged" }
  /** `host`: the other site's. */
  | { readonly ok: false; readonly why: "elsewhere"; readonly host: string };

/** Far more than any message around a link has. */
const MAX_LENGTH = 4_096;
const ROOM = /^\/(call|watch)\/([\w-]{22})$/;
/** Where one word of a text could be a link: signs around it that no link of ours has, and invisible ones of direction. */
const WORDS = /[^\s<>()[\]{}"'“”„«»\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/**
 * Finds the invite link in a text, as of a message that it came with. Nothing of the text leaves the page.
 * @param text what was pasted.
 * @param here the address of this page.
 */
export async function readInvite(text: string, here: string): Promise<Invite> {
  const words = text.slice(0, MAX_LENGTH).match(WORDS) ?? [];
  const link = words.map((word) => addressIn(word, here)).find((address) => address !== null);
  if (link === undefined) return { ok: false, why: "none" };
  if (link.host !== new URL(here).host) return { ok: false, why: "elsewhere", host: link.host };
  const path = link.pathname + link.hash;
  return (await isSound(link)) ? { ok: true, path } : { ok: false, why: "damaged" };
}

/** With its scheme, without, or its path alone. */
function addressIn(word: string, here: string): URL | null {
  if (!/\/(call|watch)\//.test(word)) return null;
  const bare = word.replace(/[.,;:!?…،؛؟]+$/u, "");
  const whole = /^(https?:\/\/|\/)/i.test(bare) ? bare : `${new URL(here).protocol}//${bare}`;
  if (!URL.canParse(whole, here)) return null;
  const address = new URL(whole, here);
  return /^\/(call|watch)\//.test(address.pathname) ? address : null;
}

/** Whether its secret is of its room. One of before links had a check goes on to the page that says so. */
async function isSound({ pathname, hash }: URL): Promise<boolean> {
  const [, kind, room = ""] = ROOM.exec(pathname) ?? [];
  const fragment = hash.slice(1);
  if (kind === "call") return (await parseLink(room, fragment)).ok;
  if (kind !== "watch") return false;
  const live = await parseLiveLink(room, fragment);
  return live.ok || live.why === "outdated";
}
