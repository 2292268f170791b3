import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, describe, expect, it } from "vitest";
import { OWN_BUDGETS, PAGE_BUDGETS } from "../budgets.ts";
import { Chat, type ChatMessage, type ChatView, MOST_LETTERS_OF_ONE, MOST_LINES_OF_ONE, type Speaker } from "./chat.ts";
import { LATE_AFTER } from "./deliveries.ts";
import { MAX_TEXT } from "./said.ts";

const leaf = (digit: string) => digit.repeat(64);
const person = (digit: string, name: string): Speaker => ({ id: leaf(digit), identity: `identity ${digit}`, name });
const [ada, ben, eve, mal] = [person("a", "Ada"), person("b", "Ben"), person("e", "Eve"), person("f", "Mal")];

let clock: ManualClock;
let view: ChatView["chat"];
let told: ChatMessage[];
/** Under which leaf each was told, and who was there. */
let tellings: { as: string; others: string[] }[];
/** By message told: everybody has it, but for those. */
let delivered: ((missed: readonly string[]) => void)[];
let me: Speaker | null;
/** All members. */
let present: Speaker[];
let removing: Speaker[];
let chat: Chat;
beforeEach(() => {
  clock = new ManualClock();
  [told, tellings, delivered, me, present, removing] = [[], [], [], ada, [ada, ben], []];
  chat = new Chat({
    clock,
    date: () => clock.now(),
    me: () => me,
    others,
    removing: () => removing.map(({ identity }) => identity),
    areNamesakes: (one, other) => one.toLowerCase() === other.toLowerCase(),
    tell: (message, as, all) => {
      told.push(message);
      tellings.push({ as, others: others().map(({ name }) => name) });
      delivered.push(all);
    },
    show: ({ chat }) => {
      view = chat;
    },
  });
  chat.actions.showChat(false);
});

const others = () => present.filter(({ identity }) => identity !== ada.identity);
/** Another leaf of this page's from now on. */
const rejoins = (digit: string) => {
  me = { ...ada, id: leaf(digit) };
  chat.rejoined();
};
const deliveries = () => view.lines.map(({ delivery }) => delivery);
const says = (number: number, text: string, reply: ChatMessage["reply"] = null): ChatMessage => ({
  ...{ type: "chat", number, text, reply, again: null },
});
const texts = () => view.lines.map(({ name, text }) => `${name}: ${text}`);
/** Long enough for any budget to be full again. */
const rest = () => clock.advance(milli(600_000));

describe("what is said", () => {
  it("shows in the order in which it came, and goes to all", () => {
    chat.heard(ben, says(0, "hello"));
    expect(chat.actions.sendChat("  hi \r\n there ", null)).toBe(true);
    chat.heard(eve, says(0, "good morning"));
    expect(texts()).toEqual(["Ben: hello", "Ada: hi \n there", "Eve: good morning"]);
    expect(told).toEqual([says(0, "hi \n there")]);
    expect(view.lines.map(({ mine }) => mine)).toEqual([false, true, false]);
  });

  it("stays under the name and leaf that said it, whatever becomes of them", () => {
    chat.heard(ben, says(0, "one"));
    chat.heard({ ...ben, name: "Benjamin" }, says(1, "two"));
    chat.forget(ben.id);
    expect(texts()).toEqual(["Ben: one", "Benjamin: two"]);
  });

  it("by another person under a name that someone wrote under before is marked so", () => {
    chat.heard(ben, says(0, "I am Ben"));
    chat.forget(ben.id);
    chat.heard({ ...eve, name: "Ben" }, says(0, "so am I"));
    chat.heard({ ...ben, id: leaf("c") }, says(0, "I am back"));
    expect(view.lines.map(({ isAnother }) => isAnother)).toEqual([false, true, false]);
  });

  it("counts as unread while the chat is closed, and but for one's own", () => {
    chat.heard(ben, says(0, "one"));
    chat.actions.sendChat("mine", null);
    chat.heard(ben, says(1, "two"));
    expect(view.unread).toBe(2);
    chat.actions.showChat(true);
    chat.heard(ben, says(2, "three"));
    expect(view.unread).toBe(0);
    chat.actions.showChat(false);
    expect(view.unread).toBe(0);
  });

  it("answers the message that its leaf and number name, in the words that this page has of it", () => {
    chat.heard(ben, says(4, "shall we?"));
    chat.actions.sendChat("yes", view.lines[0]?.key ?? null);
    expect(told[0]?.reply).toEqual({ leaf: ben.id, number: 4 });
    chat.heard(eve, says(0, "no", { leaf: ada.id, number: 0 }));
    expect(view.lines.map(({ reply }) => reply)).toEqual([null, view.lines[0]?.key, view.lines[1]?.key]);
  });

  it("is nothing where there is nothing to see, or too much, or no leaf yet", () => {
    const { sendChat } = chat.actions;
    expect([sendChat(" \n ", null), sendChat("\u200b", null), sendChat("x".repeat(MAX_TEXT + 1), null)]).toEqual([
      false,
      false,
      false,
    ]);
    me = null;
    expect(sendChat("hello", null)).toBe(false);
    expect([told, texts()]).toEqual([[], []]);
    chat.heard(ben, says(0, "\u202e\u0000"));
    expect(texts()).toEqual([]);
  });

  it("has reached everybody, or says that it has not", () => {
    chat.actions.sendChat("one", null);
    chat.actions.sendChat("two", null);
    expect(deliveries()).toEqual(["pending", "pending"]);
    delivered[0]?.([]);
    clock.advance(LATE_AFTER);
    expect(deliveries()).toEqual(["done", "late"]);
    delivered[1]?.([]);
    expect(deliveries()).toEqual(["done", "done"]);
  });

  it("that had not reached everybody when this page became another member is said again, in order, as what it was at first", () => {
    chat.actions.sendChat("one", null);
    chat.actions.sendChat("two", null);
    chat.actions.sendChat("three", view.lines[1]?.key ?? "");
    delivered[0]?.([]);
    clock.advance(LATE_AFTER);
    rejoins("d");
    expect(told.slice(3)).toEqual([
      { ...says(3, "two"), again: { leaf: ada.id, number: 1 } },
      { ...says(4, "three", { leaf: ada.id, number: 1 }), again: { leaf: ada.id, number: 2 } },
    ]);
    expect(tellings.map(({ as }) => as)).toEqual([ada.id, ada.id, ada.id, leaf("d"), leaf("d")]);
    expect(texts()).toEqual(["Ada: one", "Ada: two", "Ada: three"]);
    expect(view.lines[2]?.reply).toBe(view.lines[1]?.key);
    for (const all of delivered.slice(1, 3)) all([]);
    expect(deliveries(), "an attempt of before").toEqual(["done", "late", "late"]);
    for (const all of delivered.slice(3)) all([]);
    expect(deliveries()).toEqual(["done", "done", "done"]);
    rejoins("1");
    expect(told.length, "what everybody has").toBe(5);
  });

  it("is not said again where someone is here for whom it was not meant, and says that it is lost, until they have gone", () => {
    chat.actions.sendChat("about Eve", null);
    present = [ada, ben, eve];
    rejoins("d");
    expect([told.length, deliveries()]).toEqual([1, ["lost"]]);
    clock.advance(LATE_AFTER);
    expect(deliveries()).toEqual(["lost"]);
    present = [ada, ben];
    chat.follow();
    expect([told.length, deliveries()]).toEqual([2, ["pending"]]);
  });

  it("that someone went without is marked so, and said again once they are back", () => {
    chat.actions.sendChat("one", null);
    chat.actions.sendChat("two", null);
    delivered[0]?.([]);
    present = [ada];
    delivered[1]?.([ben.identity]);
    expect(deliveries()).toEqual(["done", "lost"]);
    chat.follow();
    expect(told.length, "nobody is back").toBe(2);
    present = [ada, ben];
    chat.follow();
    expect(told.slice(2)).toEqual([{ ...says(2, "two"), again: { leaf: ada.id, number: 1 } }]);
    delivered[2]?.([]);
    expect(view.lines.map(({ text, delivery }) => [text, delivery])).toEqual([
      ["one", "done"],
      ["two", "done"],
    ]);
    chat.follow();
    expect(told.length, "it has reached them").toBe(3);
  });

  it("that two went without has reached everybody once both have it", () => {
    present = [ada, ben, eve];
    chat.actions.sendChat("meet at nine", null);
    present = [ada];
    delivered[0]?.([ben.identity, eve.identity]);
    present = [ada, ben];
    chat.follow();
    delivered[1]?.([]);
    expect(deliveries()).toEqual(["lost"]);
    present = [ada, ben, eve];
    chat.follow();
    expect([told.length, deliveries()]).toEqual([3, ["pending"]]);
    delivered[2]?.([]);
    expect(deliveries()).toEqual(["done"]);
  });

  it("has not reached everybody where this page joins afresh into a group without someone for whom it was", () => {
    present = [ada, ben, eve];
    chat.actions.sendChat("meet at nine", null);
    present = [ada];
    rejoins("d");
    expect([told.length, deliveries()]).toEqual([1, ["lost"]]);
    present = [ada, ben, eve];
    chat.follow();
    expect(told.length).toBe(2);
  });

  it("that someone went without who is back by then is said again at once", () => {
    chat.actions.sendChat("one", null);
    delivered[0]?.([ben.identity]);
    expect(told.slice(1)).toEqual([{ ...says(1, "one"), again: { leaf: ada.id, number: 0 } }]);
    expect(view.lines[0]?.delivery).toBe("pending");
  });

  it("that someone went without is not said again as long as someone is here for whom it was not meant", () => {
    chat.actions.sendChat("about Eve", null);
    present = [ada, ben, eve];
    delivered[0]?.([ben.identity]);
    chat.follow();
    expect([told.length, view.lines[0]?.delivery]).toEqual([1, "lost"]);
    present = [ada, ben];
    chat.follow();
    expect(told.length).toBe(2);
  });

  it("alone goes to nobody, and not to who comes later", () => {
    present = [ada];
    chat.actions.sendChat("alone", null);
    present = [ada, ben];
    chat.follow();
    expect([told, deliveries()]).toEqual([[], ["done"]]);
  });

  it("that is said again shows to those alone who did not have it", () => {
    chat.heard(ben, says(0, "one"));
    const back = { ...ben, id: leaf("c") };
    chat.heard(back, { ...says(0, "one"), again: { leaf: ben.id, number: 0 } });
    chat.heard(back, { ...says(1, "two"), again: { leaf: ben.id, number: 1 } });
    expect(texts()).toEqual(["Ben: one", "Ben: two"]);
    chat.heard(eve, { ...says(0, "mine"), again: { leaf: ben.id, number: 0 } });
    expect(texts().at(-1), "another's is none of hers").toBe("Eve: mine");
    expect(view.unread).toBe(3);
  });
});

describe("what is said again", () => {
  it("shows once to who has it, however often it is said, and is answered as what it was at first", () => {
    chat.heard(ben, says(0, "shall we?"));
    for (const [number, digit] of ["c", "d", "1"].entries())
      chat.heard({ ...ben, id: leaf(digit) }, { ...says(number + 1, "shall we?"), again: { leaf: ben.id, number: 0 } });
    chat.heard(eve, says(0, "yes", { leaf: leaf("d"), number: 2 }));
    expect(view.lines.map(({ text, reply }) => [text, reply])).toEqual([
      ["shall we?", null],
      ["yes", view.lines[0]?.key],
    ]);
  });

  it("is answered at its author's page by what either called it", () => {
    chat.actions.sendChat("shall we?", null);
    rejoins("d");
    rejoins("1");
    const numbers = told.map(({ number }) => number);
    expect(told.map(({ again }) => again)).toEqual([null, { leaf: ada.id, number: 0 }, { leaf: ada.id, number: 0 }]);
    const names = [ada.id, leaf("d"), leaf("1")].map((id, at) => ({ leaf: id, number: numbers[at] ?? -1 }));
    for (const [at, reply] of names.entries()) chat.heard(ben, says(at, "yes", reply));
    expect(view.lines.slice(1).map(({ reply }) => reply)).toEqual(Array(3).fill(view.lines[0]?.key));
  });

  it("as what someone else said puts no words under an answer to that, nor doubles it", () => {
    const first = { leaf: ben.id, number: 4 };
    chat.heard(mal, { ...says(0, "I resign"), again: first });
    chat.heard(eve, says(0, "yes, gladly", first));
    expect(
      view.lines.some(({ key }) => key === view.lines.at(-1)?.reply),
      "that this page never had",
    ).toBe(false);
    for (const number of [5, 6, 7]) chat.heard(ben, { ...says(number, "lunch?"), again: first });
    chat.heard(eve, says(1, "yes, gladly", first));
    expect(texts()).toEqual(["Mal: I resign", "Eve: yes, gladly", "Ben: lunch?", "Eve: yes, gladly"]);
    expect(view.lines[3]?.reply).toBe(view.lines[2]?.key);
  });

  it("as what someone else said takes nothing of their place", () => {
    chat.heard(eve, { ...says(0, "mine"), again: { leaf: ben.id, number: 4 } });
    chat.heard(ben, says(4, "shall we?"));
    chat.heard(eve, says(1, "yes", { leaf: ben.id, number: 4 }));
    expect(texts()).toEqual(["Eve: mine", "Ben: shall we?", "Eve: yes"]);
    expect(view.lines[2]?.reply).toBe(view.lines[1]?.key);
  });
});

describe("while someone is removed", () => {
  const removes = (someone: Speaker) => {
    removing = [someone];
    chat.hold(true);
  };
  const hasRemoved = (now: Speaker[]) => {
    [present, removing] = [now, []];
    chat.hold(false);
    chat.follow();
  };

  it("what is written waits, and goes to the others in order", () => {
    present = [ada, ben, mal];
    removes(mal);
    chat.actions.sendChat("one", null);
    chat.actions.sendChat("two", null);
    expect(told).toEqual([]);
    hasRemoved([ada, ben]);
    expect(told).toEqual([says(0, "one"), says(1, "two")]);
    for (const all of delivered) all([]);
    expect(deliveries()).toEqual(["done", "done"]);
  });

  it("what is written does not go to who comes meanwhile, nor to who was removed and is let in again", () => {
    present = [ada, ben, mal];
    removes(mal);
    chat.actions.sendChat("about Eve and Mal", null);
    hasRemoved([ada, ben, eve]);
    expect([told, deliveries()]).toEqual([[], ["lost"]]);
    present = [ada, ben, mal];
    chat.follow();
    expect(told).toEqual([]);
    present = [ada, ben];
    chat.follow();
    expect(told).toEqual([says(0, "about Eve and Mal")]);
  });

  it("who goes meanwhile has not got it", () => {
    present = [ada, ben, eve, mal];
    removes(mal);
    chat.actions.sendChat("meet at nine", null);
    hasRemoved([ada, ben]);
    delivered[0]?.([]);
    expect(deliveries()).toEqual(["lost"]);
  });

  it("this page joins afresh: what it wrote and writes shows to others all the same", () => {
    const heard: string[] = [];
    for (const text of ["0", "1", "2"]) chat.actions.sendChat(text, null);
    for (const all of delivered) all([]);
    present = [ada, ben, mal];
    removes(mal);
    chat.actions.sendChat("held", null);
    rejoins("d");
    hasRemoved([ada, ben]);
    for (const text of ["3", "4"]) chat.actions.sendChat(text, null);
    const highest = new Map<string, number>();
    for (const [at, { number, text }] of told.entries()) {
      const as = tellings[at]?.as ?? "";
      if (number > (highest.get(as) ?? -1)) heard.push(text);
      highest.set(as, number);
    }
    expect(heard).toEqual(["0", "1", "2", "held", "3", "4"]);
  });

  it("what waited until others were said is said as another one, which is above them", () => {
    chat.actions.sendChat("one", null);
    present = [ada, ben, mal];
    removes(mal);
    chat.actions.sendChat("about Eve", null);
    hasRemoved([ada, ben, eve]);
    chat.actions.sendChat("two", null);
    present = [ada, ben];
    chat.follow();
    expect(told.slice(1)).toEqual([says(2, "two"), { ...says(3, "about Eve"), again: { leaf: ada.id, number: 1 } }]);
  });
});

describe("a hostile member", () => {
  it("who writes under a name that looks like someone's is marked", () => {
    chat.heard(ben, says(0, "I am Ben"));
    chat.forget(ben.id);
    chat.heard({ ...eve, name: "BEN" }, says(0, "so am I"));
    expect(view.lines.map(({ isAnother }) => isAnother)).toEqual([false, true]);
  });

  it("goes on with what was left to them where they leave and come back", () => {
    for (let come = 0; come < 2 * PAGE_BUDGETS.chat.burst; come++) {
      const id = leaf(`${come % 10}`);
      chat.heard({ ...eve, id }, says(0, "again"));
      chat.forget(id);
    }
    expect(view.lines.length).toBe(PAGE_BUDGETS.chat.burst);
  });

  it("who has others say things again, by coming and going, uses up nothing of what these may say", () => {
    chat.heard(ben, says(0, "one"));
    const again = { leaf: ben.id, number: 0 };
    for (let number = 1; number < 3 * PAGE_BUDGETS.chat.burst; number++)
      chat.heard(ben, { ...says(number, "one"), again });
    chat.heard(ben, says(1_000, "two"));
    expect(texts()).toEqual(["Ben: one", "Ben: two"]);
    expect(view.tooFast).toEqual([]);
  });

  it("says a message of a number once, and none of an earlier one", () => {
    chat.heard(eve, says(5, "five"));
    chat.heard(eve, says(5, "again"));
    chat.heard(eve, says(4, "four"));
    chat.heard(ben, says(0, "zero"));
    expect(texts()).toEqual(["Eve: five", "Ben: zero"]);
  });

  it("who writes too fast is left out, by name, and nobody else is", () => {
    const { burst, perSecond } = PAGE_BUDGETS.chat;
    for (let number = 0; number < 3 * burst; number++) chat.heard(eve, says(number, `${number}`));
    chat.heard(ben, says(0, "still here"));
    expect(texts().length).toBe(burst + 1);
    expect(view.tooFast).toEqual(["Eve"]);
    clock.advance(milli(1_000 / perSecond));
    chat.heard(eve, says(1_000, "slowly"));
    expect(texts().at(-1)).toBe("Eve: slowly");
  });

  it("who is left out under many names fills no list of them", () => {
    const { burst } = PAGE_BUDGETS.chat;
    for (let number = 0; number < 3 * burst; number++) chat.heard({ ...eve, name: `Eve ${number}` }, says(number, "x"));
    expect(view.tooFast.length).toBeLessThan(5);
  });

  it("pushes out their own messages alone, by number and by length, also under another leaf", () => {
    chat.heard(ben, says(0, "mine"));
    for (let number = 0; number < MOST_LINES_OF_ONE + 5; number++) {
      rest();
      chat.heard({ ...eve, id: leaf(number % 2 === 0 ? "e" : "f") }, says(number, `${number}`));
    }
    expect(texts().length).toBe(MOST_LINES_OF_ONE + 1);
    expect(texts().slice(0, 2)).toEqual(["Ben: mine", "Eve: 5"]);
    for (let number = 0; number < 300; number++) {
      rest();
      chat.heard({ ...eve, id: leaf("d") }, says(number, "x".repeat(MAX_TEXT)));
    }
    const theirs = view.lines.filter(({ identity }) => identity === eve.identity);
    expect(theirs.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(MOST_LETTERS_OF_ONE);
    expect(texts()[0]).toBe("Ben: mine");
  });
});

it("this page says no more than others take who were away for three minutes, and says so", () => {
  const { burst, perSecond } = OWN_BUDGETS.chat;
  const sent = Array.from({ length: 2 * burst }, () => chat.actions.sendChat("x", null)).filter(Boolean);
  expect([sent.length, told.length, view.lines.length]).toEqual([burst, burst, burst]);
  clock.advance(milli(1_000 / perSecond));
  expect(chat.actions.sendChat("y", null)).toBe(true);
  expect(OWN_BUDGETS.chat.burst + 180 * OWN_BUDGETS.chat.perSecond).toBeLessThanOrEqual(PAGE_BUDGETS.chat.burst);
});
