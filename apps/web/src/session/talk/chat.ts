import { type Clock, dropOldest, TokenBucket } from "@sealcast/time";
import * as v from "valibot";
import { OWN_BUDGETS, PAGE_BUDGETS } from "../budgets.ts";
import { MemberBudgets } from "../member-budgets.ts";
import { Deliveries, type Delivery } from "./deliveries.ts";
import { Count, LeafKey, MAX_TEXT, shownText } from "./said.ts";

/** Messages of one person that the history keeps at most, and their UTF-16 code units: others' stay. */
export const MOST_LINES_OF_ONE = 1_000;
export const MOST_LETTERS_OF_ONE = 1_000_000;
/** How many of those who write too fast are named. */
const MOST_NAMES = 3;
/** Names of one identity that are kept, and further ways to name one message. */
const MOST_NAMES_OF_ONE = 20;
const MOST_KEYS = 8;
/** Leaves that are remembered: a member has another one each time it joins afresh. */
const MOST_LEAVES = 4_000;

const Reference = v.strictObject({ leaf: LeafKey, number: Count });
type Reference = v.InferOutput<typeof Reference>;

/**
 * What a member says in the chat. `number` rises with each message of a leaf; `reply` names an earlier one, by leaf. `again` names the
 * one that this was at first, maybe of a leaf that the sender had before: it has not reached everybody.
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
  /** Names it among all, for as long as it is there. */
  key: string;
  /** What others may call it: as it was at first, or was said again. */
  also: readonly string[];
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
  /** Whether everybody for whom it was written has it. Others' messages are `done`. */
  delivery: Delivery;
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
  /** All other members who are in the call now, and the identities of those that are being removed. */
  others(): readonly Pick<Speaker, "id" | "identity">[];
  removing(): readonly string[];
  /** Whether one name could be taken for the other. */
  areNamesakes(one: string, other: string): boolean;
  /**
   * Tells it to everybody as long as this page has that leaf. `missed`: identities of those who went without it.
   */
  tell(message: ChatMessage, as: string, delivered: (missed: readonly string[]) => void): void;
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
  /** Of the leaves that this page has seen: whose each is, by identity. */
  readonly #whose = new Map<string, string>();
  readonly #deliveries: Deliveries;
  /** Of this page's messages, whatever leaf it had: the next number, and the last one that was said. */
  #next = 0;
  #said = -1;
  #view = NO_CHAT.chat;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#own = new TokenBucket(OWN_BUDGETS.chat, options.clock);
    this.#budgets = new MemberBudgets(PAGE_BUDGETS.chat, options.clock);
    const { clock, others, removing } = options;
    this.#deliveries = new Deliveries({
      ...{ clock, removing, others: () => others().map(({ identity }) => identity) },
      own: () => options.me()?.identity ?? "",
      say: (key, delivered) => this.#say(key, delivered),
      changed: (key, delivery) => this.#set(key, { delivery }),
    });
  }

  heard(from: Speaker, { number, text, reply, again }: ChatMessage): void {
    if (number <= (this.#numbers.get(from.id) ?? -1)) return;
    this.#numbers.set(from.id, number);
    this.#remember(from);
    const key = keyOf({ leaf: from.id, number });
    const first = again && this.#saidBy(from.identity, keyOf(again));
    // Who comes and goes has others say things again, which is not to use up what these may say.
    if (first) return this.#also(first, key);
    if (!this.#budgets.tryTake(from)) return this.#leaveOut(from.name);
    const shown = shownText(text);
    if (shown === "") return;
    this.#add(from, { key, also: again === null ? [] : [keyOf(again)], text: shown, reply, mine: false });
    if (!this.#view.open) this.#change({ unread: this.#view.unread + 1 });
  }

  /** Someone came or went. Who lost their connection for some seconds is another member then: what they missed is said again. */
  follow(): void {
    for (const other of this.#options.others()) this.#remember(other);
    this.#deliveries.follow();
  }

  /** What is written waits from now on, or no longer: someone who is here is being removed. */
  hold(isHeld: boolean): void {
    this.#deliveries.hold(isHeld);
  }

  /** That leaf is gone. What was said under it stays. */
  forget(id: string): void {
    this.#numbers.delete(id);
  }

  /** This page is another member now, and what has not reached everybody reaches nobody else by itself: it is said again. */
  rejoined(): void {
    this.#deliveries.rejoined();
  }

  #send(text: string, replyTo: string | null): boolean {
    const [from, shown] = [this.#options.me(), shownText(text)];
    if (from === null || shown === "" || shown.length > MAX_TEXT || !this.#own.tryTake()) return false;
    this.#remember(from);
    const key = keyOf({ leaf: from.id, number: this.#next++ });
    this.#add(from, { key, also: [], text: shown, reply: referenceOf(replyTo), mine: true });
    this.#deliveries.add(key);
    return true;
  }

  /** For the first time as what it is called here; as another one that names this one where it was said, or waited too long for that. */
  #say(key: string, delivered: (missed: readonly string[]) => void): boolean {
    const [from, line, first] = [this.#options.me(), this.#saidAs(key), referenceOf(key)];
    // Of very many, the oldest are gone.
    if (from === null || line === undefined || first === null) return false;
    this.#remember(from);
    const isFirst = first.leaf === from.id && first.number > this.#said;
    const number = isFirst ? first.number : this.#next++;
    this.#said = number;
    if (!isFirst) this.#also(line, keyOf({ leaf: from.id, number }));
    const again = isFirst ? null : first;
    const message = { type: "chat", number, text: line.text, reply: referenceOf(line.reply), again } as const;
    this.#options.tell(message, from.id, delivered);
    return true;
  }

  #saidAs(key: string): ChatLine | undefined {
    return this.#view.lines.find((line) => line.key === key);
  }

  /** What that identity said, and calls so or did. */
  #saidBy(identity: string, key: string): ChatLine | undefined {
    const theirs = this.#view.lines.filter((line) => line.identity === identity);
    return theirs.find((line) => line.key === key) ?? theirs.find(({ also }) => also.includes(key));
  }

  /** What an answer to `key` answers: nobody's words stand where another's were. A leaf that this page never saw may be anybody's. */
  #answeredBy(key: string): ChatLine | undefined {
    const [leaf = ""] = key.split(" ");
    const whose = this.#whose.get(leaf);
    return this.#saidAs(key) ?? (whose === undefined ? undefined : this.#saidBy(whose, key));
  }

  #remember({ id, identity }: Pick<Speaker, "id" | "identity">): void {
    this.#whose.set(id, identity);
    dropOldest(this.#whose, MOST_LEAVES);
  }

  #also({ key, also }: ChatLine, other: string): void {
    if (also.length < MOST_KEYS) this.#set(key, { also: [...also, other] });
  }

  #set(key: string, change: Partial<Pick<ChatLine, "delivery" | "also">>): void {
    const lines = this.#view.lines.map((line) => (line.key === key ? { ...line, ...change } : line));
    this.#change({ lines });
  }

  #add(from: Speaker, said: Pick<ChatLine, "key" | "also" | "text" | "mine"> & Pick<ChatMessage, "reply">): void {
    const { identity, name } = from;
    const { reply, mine, ...rest } = said;
    const answered = reply === null ? null : keyOf(reply);
    const line: ChatLine = {
      ...{ ...rest, mine, identity, name },
      isAnother: this.#firstCalled(from) !== identity,
      at: this.#options.date(),
      reply: answered === null ? null : (this.#answeredBy(answered)?.key ?? answered),
      delivery: mine ? "pending" : "done",
    };
    this.#change({ lines: bounded([...this.#view.lines, line], identity) });
  }

  /** The identity that has written first under that name, or one that looks like it. */
  #firstCalled({ identity, name }: Speaker): string {
    const names = [...this.#names];
    const [, first] = names.find(([earlier]) => this.#options.areNamesakes(earlier, name)) ?? [];
    const isNew = first === undefined && names.filter(([, whose]) => whose === identity).length < MOST_NAMES_OF_ONE;
    if (isNew) this.#names.set(name, identity);
    return first ?? identity;
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
