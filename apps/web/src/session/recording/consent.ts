import { toBase64url } from "@sealcast/bytes";
import type { GroupMember } from "@sealcast/keys";
import { type Milli, milli } from "@sealcast/time";
import * as v from "valibot";
import { parseJson, toJson } from "../json.ts";

/** Bytes of a statement. */
const MAX_STATEMENT = 256;
/** A statement counts for so long. It is repeated with each heartbeat, every 4 s: one that is kept back does not count on. */
export const COUNTS_FOR = milli(15_000);

/** 16 random bytes in base64url: an answer is to one recording. */
const RecordingId = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{22}$/));
export const RecordingStage = v.picklist(["asked", "on", "paused"]);
/** `asked`: nothing is recorded yet. */
export type RecordingStage = v.InferOutput<typeof RecordingStage>;

/** All that one member says to another of recordings: its own one, and whether it is to be in the other's. PROTOCOL.md section 5.5. */
const Statement = v.strictObject({
  recording: v.nullable(v.strictObject({ id: RecordingId, stage: RecordingStage })),
  answer: v.nullable(v.strictObject({ id: RecordingId, yes: v.boolean() })),
});
type Statement = v.InferOutput<typeof Statement>;

/** Null: not a statement of this version. A member may send anything. */
export const parseStatement = (body: Uint8Array): Statement | null => parseJson(Statement, body, MAX_STATEMENT);

type Speaker = Pick<GroupMember, "leafKeyId" | "identity">;

interface Heard extends Statement {
  readonly identity: string;
  /** By the clock of the page. */
  readonly at: Milli;
}

/** A recording of another member's, and this person's answer; null where they have given none. */
export interface AskedConsent {
  readonly stage: RecordingStage;
  readonly answer: "yes" | "no" | null;
}

/** How another member stands to recordings. */
export interface ConsentView {
  /** What they record, or are about to, and this person's answer; null where they do not. */
  readonly records: AskedConsent | null;
  /** That is to be asked about in a dialog. */
  readonly isToAsk: boolean;
  /** Their answer to this person's recording: who has given none is left out of it. */
  readonly answer: AskedConsent["answer"];
}

/**
 * Who records, and who may be recorded. In this page's recording is who says yes to it at present, and nobody else. Of
 * others' recordings it knows what they are, and this person's answers: a yes is to one recording, a no to all of that
 * person's until it is taken back.
 */
export class Consent {
  #own: { readonly id: string; readonly stage: RecordingStage } | null = null;
  /** The last statement of each member, by leaf key. */
  readonly #heard = new Map<string, Heard>();
  /** Identities whose recordings this person is in none of. */
  readonly #noTo = new Set<string>();
  /** By identity: ids of the recordings that this person may be in. */
  readonly #yesTo = new Map<string, Set<string>>();
  /** Identities whose recordings were asked about in a dialog. It does not open for them again. */
  readonly #askedFor = new Set<string>();

  /** This person's recording; null where there is none. */
  get stage(): RecordingStage | null {
    return this.#own?.stage ?? null;
  }

  /** Asks everybody; nobody's yes to an earlier recording counts for this one. */
  begin(): void {
    this.#own = { id: toBase64url(crypto.getRandomValues(new Uint8Array(16))), stage: "asked" };
  }

  proceed(stage: RecordingStage): void {
    if (this.#own !== null) this.#own = { ...this.#own, stage };
  }

  end(): void {
    this.#own = null;
  }

  /** A member said something over its own connection, at `now`. What is malformed is dropped. */
  heard({ leafKeyId, identity }: Speaker, body: Uint8Array, now: Milli): void {
    const statement = parseStatement(body);
    if (statement === null) return;
    const ended = this.#heard.get(leafKeyId)?.recording?.id;
    // What has ended does not go on under its old yes.
    if (ended !== undefined && ended !== statement.recording?.id) this.#yesTo.get(identity)?.delete(ended);
    if (statement.recording === null) this.forget(leafKeyId);
    this.#heard.set(leafKeyId, { ...statement, identity, at: now });
  }

  /** That member has gone: it records nobody, and has said nothing. */
  forget(leafKeyId: string): void {
    const { identity, recording } = this.#heard.get(leafKeyId) ?? {};
    if (identity !== undefined && recording !== null) this.#askedFor.add(identity);
    this.#heard.delete(leafKeyId);
  }

  /** Forgets what was not said again in time. Gives whether there was any. */
  expire(now: Milli): boolean {
    const late = [...this.#heard].filter(([, { at }]) => now - at >= COUNTS_FOR);
    for (const [leafKeyId] of late) this.forget(leafKeyId);
    return late.length > 0;
  }

  /** Whether that member may be in this page's recording. Every frame depends on it. */
  includes(leafKeyId: string): boolean {
    return this.answerOf(leafKeyId) === "yes";
  }

  /** What a member says to this page's recording; null where they have not answered, or there is none. */
  answerOf(leafKeyId: string): "yes" | "no" | null {
    const answer = this.#heard.get(leafKeyId)?.answer ?? null;
    if (this.#own === null || answer?.id !== this.#own.id) return null;
    return answer.yes ? "yes" : "no";
  }

  /** A member's recording; null where it has none. */
  of(leafKeyId: string): AskedConsent | null {
    const { identity = "", recording = null } = this.#heard.get(leafKeyId) ?? {};
    return recording && { stage: recording.stage, answer: this.#answerTo(identity, recording.id) };
  }

  /** This person's answer to all that someone records now. A no also stands for what they record later. */
  answer(identity: string, yes: boolean): void {
    if (!yes) return void this.#noTo.add(identity);
    this.#noTo.delete(identity);
    const theirs = [...this.#heard.values()].filter((heard) => heard.identity === identity);
    this.#yesTo.set(identity, new Set(theirs.flatMap(({ recording }) => recording?.id ?? [])));
  }

  /** Whether that member's recording is to be asked about in a dialog: the first one of a person, until it is answered or put off. */
  isToAsk(leafKeyId: string): boolean {
    const identity = this.#heard.get(leafKeyId)?.identity ?? "";
    return this.of(leafKeyId)?.answer === null && !this.#askedFor.has(identity);
  }

  /** Without an answer: it stays no yes. */
  putOff(): void {
    for (const [leafKeyId, { identity }] of this.#heard) if (this.isToAsk(leafKeyId)) this.#askedFor.add(identity);
  }

  /** What this page has to say to that member. `isNothing`: it need not be repeated. */
  statementTo({ leafKeyId, identity }: Speaker): { body: Uint8Array; isNothing: boolean } {
    const id = this.#heard.get(leafKeyId)?.recording?.id;
    const said = id === undefined ? null : this.#answerTo(identity, id);
    const answer = id === undefined || said === null ? null : { id, yes: said === "yes" };
    const statement: Statement = { recording: this.#own, answer };
    return { body: toJson(statement), isNothing: this.#own === null && answer === null };
  }

  #answerTo(identity: string, id: string): AskedConsent["answer"] {
    if (this.#noTo.has(identity)) return "no";
    return this.#yesTo.get(identity)?.has(id) === true ? "yes" : null;
  }
}
