import * as v from "valibot";
import { MAX_DOWN, MAX_KNOCK, MAX_MESSAGE, MAX_RELAY, PROTOCOL_VERSION } from "./limits.ts";
import { Down, Up } from "./messages.ts";

/** `why` is the code of the fault to answer with; `message` says what does not fit and repeats none of the content. */
type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: "too-large" | "malformed" | "version"; readonly message: string };

/** Of those that are bound by less than MAX_MESSAGE. */
const LARGEST: { readonly [T in Up["type"]]?: number } = {
  relay: MAX_RELAY,
  answer: MAX_RELAY,
  tell: MAX_RELAY,
  knock: MAX_KNOCK,
};

/** What a client sent. Never throws. */
export function parseUp(text: string): Parsed<Up> {
  const parsed = parse(text, MAX_MESSAGE, Up);
  const largest = (parsed.ok && LARGEST[parsed.value.type]) || MAX_MESSAGE;
  return text.length > largest ? tooLarge(largest) : parsed;
}

/** What the server sent. Never throws. */
export const parseDown = (text: string): Parsed<Down> => parse(text, MAX_DOWN, Down);

/**
 * The wire is canonical JSON: the text is exactly what JSON.stringify makes of its value. Duplicate keys, odd numbers,
 * needless escapes and white space are refused, so no two parsers can read one message differently.
 */
function parse<T>(text: string, limit: number, schema: v.GenericSchema<unknown, T>): Parsed<T> {
  if (text.length > limit) return tooLarge(limit);
  const json = canonical(text);
  if (json === undefined) return malformed("not canonical JSON");
  const result = v.safeParse(schema, json, { abortEarly: true, abortPipeEarly: true });
  if (result.success) return { ok: true, value: result.output };
  return v.is(EntryOfAnotherVersion, json) ? otherVersion : misfit(result.issues[0]);
}

const EntryOfAnotherVersion = v.looseObject({
  type: v.picklist(["join", "host", "watch"]),
  version: v.pipe(v.number(), v.notValue(PROTOCOL_VERSION)),
});

function canonical(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return JSON.stringify(json) === text ? json : undefined;
  } catch {
    return undefined; // Not JSON, or nested too deeply to write again.
  }
}

function misfit(issue: v.BaseIssue<unknown>): Parsed<never> {
  if (issue.expected === "never") return malformed("a key that does not belong there");
  const where = v.getDotPath(issue);
  if (where === null) return malformed("not a message");
  if (issue.type === "max_length") return { ok: false, why: "too-large", message: `"${where}" is too long` };
  return malformed(`"${where}" does not fit`);
}

const otherVersion = { ok: false, why: "version", message: `the server speaks version ${PROTOCOL_VERSION}` } as const;
const malformed = (message: string) => ({ ok: false, why: "malformed", message }) as const;
const tooLarge = (limit: number) => ({ ok: false, why: "too-large", message: `over ${limit} characters` }) as const;
