import { type Clock, dropOldest, milli, TokenBucket } from "@sealcast/time";
import * as v from "valibot";
import { OWN_BUDGETS, PAGE_BUDGETS } from "../budgets.ts";
import { MemberBudgets } from "../member-budgets.ts";
import { Count, LeafKey, MAX_TEXT, shownText } from "./said.ts";

/** Messages of one person that the history keeps at most, and their UTF-16 code units: others' stay. */
export const MOST_LINES_OF_ONE = 1_000;
export const MOST_LETTERS_OF_ONE = 1_000_000;
/** How many of those who write too fast are named. */
const MOST_NAMES = 3;
/** Messages of this page that someone went without, and that are said again once they are back. */
const MOST_MISSED = 30;
/** What has not reached everybody by then is marked so. */
export const LATE_AFTER = milli(5_000);

const Reference = v.strictObject({ leaf: LeafKey, number: Count });
type Reference = v.InferOutput<typeof Reference>;

/**
 * What a member says in the chat. `number` rises with each message of a leaf; `reply` names an earlier one, by leaf. `again` names the
 * one that this was at first, maybe of a leaf that the sender had before: it had not reached everybody.
 */
export const ChatMessage = v.strictObject({
  type: v.literal("chat"),
  number: Count,
  text: v.pipe(v.string(), v.maxLength(MAX_TEXT)),
  reply: v.nullable(Reference),
  again: v.nullable(Reference),
});
export type ChatMessage = v.InferOutput<typeof ChatMessage>;

/** Someone who speaks, as they show at that moment. */
export interface Speaker {
  /** The leaf's key id. */
  id: string;
  identity: string;
  name: string;
}

/** One message of the history. What is in it stays, whatever becomes of the person or their name. */
export interface ChatLine {
  /** Names it among all. */
  key: string;
  /** This person said it. */
  mine: boolean;
  identity: string;
  /** As the person was called when they said it. */
  name: string;
  /** Someone else has written under the same name before. */
  isAnother: boolean;
  /** By this device's clock, Unix time in milliseconds. */
  at: number;
  text: string;
  /** The key of the message that this one answers; null where it answers none. It may be none of the history. */
  reply: string | null;
  /** Whether everybody for whom it was has it. `late`: someone still has not; `lost`: nor will, unless they come back. Others' messages are `done`. */
  delivery: "pending" | "late" | "lost" | "done";
}

export interface ChatView {
  chat: {
    open: boolean;
    /** In the order in which they came to this page. */
    lines: readonly ChatLine[];
    /** Others' messages that came while the chat was not open. */
    unread: number;
    /** Names of those of whose messages some were left out: they came too fast. */
    tooFast: readonly string[];
  };
}

export const NO_CHAT: ChatView = { chat: { open: false, lines: [], unread: 0, tooFast: [] } };

export interface ChatActions {
  showChat(open: boolean): void;
  /**
   * Says this to everybody in the call, in answer to the message of that key.
   * @returns false where nothing was sent: there is nothing to say, it is too long, or the last ones were too fast.
   */
  sendChat(text: string, reply: string | null): boolean;
}

interface ChatOptions {
  clock: Clock;
  /** The time of day, Unix time in milliseconds. */
  date(): number;
  /** This page's own leaf; null before it has one. */
  me(): Speaker | null;
  /** Identities of all who are in the call now. */
  present(): readonly string[];
  /** `missed`: identities of those who went without it. */
  tell(message: ChatMessage, delivered: (missed: readonly string[]) => void): void;
  show(change: ChatView): void;
}

/** What was said in the chat while this page was in the call. It is in this page's memory and nowhere else. */
export class Chat {
  readonly actions: ChatActions = {
    showChat: (open) => this.#change({ open, ...(open && { unread: 0 }) }),
    sendChat: (text, reply) => this.#send(text, reply),
  };
  readonly #options: ChatOptions;
  readonly #own: TokenBucket;
  readonly #budgets: MemberBudgets;
  /** The highest number that each leaf has used. */
  readonly #numbers = new Map<string, number>();
  /** Who has written under a name first, by identity. */
  readonly #names = new Map<string, string>();
  /** This page's messages that have not reached everybody yet, by key, in order: identities of those for whom each was. */
  readonly #undelivered = new Map<string, ReadonlySet<string>>();
  /** Those that someone went without, by key: identities of those for whom each was, and of who missed it. */
  readonly #missed = new Map<string, { readonly to: ReadonlySet<string>; readonly by: readonly string[] }>();
  #view = NO_CHAT.chat;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#own = new TokenBucket(OWN_BUDGETS.chat, options.clock);
    this.#budgets = new MemberBudgets(PAGE_BUDGETS.chat, options.clock);
  }

  heard(from: Speaker, { number, text, reply, again }: ChatMessage): void {
    if (number <= (this.#numbers.get(from.id) ?? -1)) return;
    this.#numbers.set(from.id, number);
    // Who comes and goes has others say things again, which is not to use up what these may say.
    if (again !== null && this.#has(from, keyOf(again))) return;
    if (!this.#budgets.tryTake(from)) return this.#leaveOut(from.name);
    const shown = shownText(text);
    if (shown === "") return;
    this.#add(from, { number, text: shown, reply, mine: false });
    if (!this.#view.open) this.#change({ unread: this.#view.unread + 1 });
  }

  /**
   * Someone came. Who lost their connection for some seconds is another member then: what they missed is said again, unless someone is
   * here for whom it was not meant.
   */
  met(): void {
    const [from, present] = [this.#options.me(), this.#options.present()];
    for (const [key, { to, by }] of this.#missed) {
      const isDue = by.some((identity) => present.includes(identity)) && present.every((identity) => to.has(identity));
      if (from === null || !isDue) continue;
      this.#missed.delete(key);
      this.#sayAgain(from, key);
    }
  }

  /** That leaf is gone. What was said under it stays. */
  forget(id: string): void {
    this.#numbers.delete(id);
  }

  /**
   * This page is another member now, and what has not reached everybody reaches nobody else by itself. It is said again, unless
   * someone is here for whom it was not meant.
   */
  rejoined(): void {
    const from = this.#options.me();
    const present = this.#options.present();
    const undelivered = [...this.#undelivered];
    this.#undelivered.clear();
    for (const [key, to] of undelivered)
      if (from !== null && present.every((identity) => to.has(identity))) this.#sayAgain(from, key);
      else this.#set(key, { delivery: "lost" });
  }

  #send(text: string, replyTo: string | null): boolean {
    const [from, shown] = [this.#options.me(), shownText(text)];
    if (from === null || shown === "" || shown.length > MAX_TEXT || !this.#own.tryTake()) return false;
    const said = { number: this.#nextNumber(from), text: shown, reply: referenceOf(replyTo) };
    this.#add(from, { ...said, mine: true });
    this.#tell(from, { type: "chat", ...said, again: null });
    return true;
  }

  #sayAgain(from: Speaker, key: string): void {
    const line = this.#view.lines.find((line) => line.key === key);
    const again = referenceOf(key);
    // Of very many, the oldest are gone.
    if (line === undefined || again === null) return;
    const said = { number: this.#nextNumber(from), text: line.text, reply: referenceOf(line.reply), again };
    this.#rename(key, keyOf({ leaf: from.id, number: said.number }));
    this.#tell(from, { type: "chat", ...said });
  }

  #nextNumber({ id }: Speaker): number {
    const number = (this.#numbers.get(id) ?? -1) + 1;
    this.#numbers.set(id, number);
    return number;
  }

  #tell({ id }: Speaker, message: ChatMessage): void {
    const { tell, clock, present } = this.#options;
    const key = keyOf({ leaf: id, number: message.number });
    this.#undelivered.set(key, new Set(present()));
    tell(message, (missed) => this.#delivered(key, missed));
    clock.after(LATE_AFTER, () => this.#undelivered.has(key) && this.#set(key, { delivery: "late" }));
  }

  #delivered(key: string, missed: readonly string[]): void {
    const to = this.#undelivered.get(key);
    this.#undelivered.delete(key);
    this.#set(key, { delivery: missed.length === 0 ? "done" : "lost" });
    if (to === undefined || missed.length === 0) return;
    this.#missed.set(key, { to, by: missed });
    dropOldest(this.#missed, MOST_MISSED);
    this.met();
  }

  /** Someone's message of that key has come before. */
  #has({ identity }: Speaker, key: string): boolean {
    return this.#view.lines.some((line) => line.key === key && line.identity === identity);
  }

  #set(key: string, change: Pick<ChatLine, "delivery">): void {
    const lines = this.#view.lines.map((line) => (line.key === key ? { ...line, ...change } : line));
    this.#change({ lines });
  }

  /** What answers it here still does. */
  #rename(key: string, now: string): void {
    const lines = this.#view.lines.map((line) => {
      if (line.key === key) return { ...line, key: now, delivery: "pending" as const };
      return line.reply === key ? { ...line, reply: now } : line;
    });
    this.#change({ lines });
  }

  #add(from: Speaker, said: Pick<ChatMessage, "number" | "text" | "reply"> & { mine: boolean }): void {
    const { id, identity, name } = from;
    const { number, text, reply, mine } = said;
    const first = this.#names.get(name) ?? identity;
    this.#names.set(name, first);
    const line: ChatLine = {
      ...{ key: keyOf({ leaf: id, number }), mine, identity, name, text },
      isAnother: first !== identity,
      at: this.#options.date(),
      reply: reply === null ? null : keyOf(reply),
      delivery: mine ? "pending" : "done",
    };
    this.#change({ lines: bounded([...this.#view.lines, line], identity) });
  }

  #leaveOut(name: string): void {
    const { tooFast } = this.#view;
    if (!tooFast.includes(name)) this.#change({ tooFast: [...tooFast, name].slice(-MOST_NAMES) });
  }

  #change(change: Partial<ChatView["chat"]>): void {
    this.#view = { ...this.#view, ...change };
    this.#options.show({ chat: this.#view });
  }
}

/** Without the oldest of that identity, where there are too many or too long ones of it. */
function bounded(lines: ChatLine[], identity: string): ChatLine[] {
  const theirs = lines.filter((line) => line.identity === identity);
  let letters = theirs.reduce((sum, { text }) => sum + text.length, 0);
  const dropped = new Set<ChatLine>();
  for (const line of theirs) {
    if (theirs.length - dropped.size <= MOST_LINES_OF_ONE && letters <= MOST_LETTERS_OF_ONE) break;
    dropped.add(line);
    letters -= line.text.length;
  }
  return dropped.size === 0 ? lines : lines.filter((line) => !dropped.has(line));
}

const keyOf = ({ leaf, number }: Reference): string => `${leaf} ${number}`;

function referenceOf(key: string | null): Reference | null {
  const [leaf, number] = key?.split(" ") ?? [];
  return leaf === undefined || number === undefined ? null : { leaf, number: Number(number) };
}
