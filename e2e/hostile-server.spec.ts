import { AGAIN, SHOWN } from "./stage/expect.ts";
import { type Message, type Middle, pass, withhold } from "./stage/middle.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";
import { watch } from "./stage/viewers.ts";

test.setTimeout(180_000);
const STRANGER = "A".repeat(22);
const SOMEWHERE = "A".repeat(43);

/** What the encryption details call what was refused. */
const ALTERED = "altered, or from nobody in this call";
const LATE = "from before the last change of keys";
const COMMIT = "an unauthorised membership change";
const WELCOME = "an invitation that is not for this page";
const UNREADABLE = "not a message as server and page have agreed on them";
const ANSWER = "an answer that was altered, or meant for someone else";
const ANSWERED = "an answer that came a second time";
const RECORD = "altered, meant for someone else, or repeated";
const ASK = "a request for keys that repeats another viewer’s";

/** None of these is a message: after each the page takes another socket. */
const NO_MESSAGES: Record<string, string | Uint8Array> = {
  "a key twice": '{"type":"alone","type":"alone"}',
  __proto__: '{"type":"pong","__proto__":{"admitted":true}}',
  "an unknown type": '{"type":"admit-me"}',
  "more than 1 MiB": JSON.stringify({ type: "relayed", seq: 1, from: STRANGER, body: "A".repeat(1024 * 1024) }),
  "a binary message": new TextEncoder().encode('{"type":"pong"}'),
  "no JSON": "<!doctype html>",
};

test("what the server alters, repeats or makes up is refused by name, nobody comes in, and the call goes on", {
  tag: "@journey",
}, async ({ server, middle, person, expectedErrors }) => {
  expectedErrors.push(/Could not decode a text frame as UTF-8/);
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const bens = await middle();
  const link = await ada.startCall(server.url);
  let door: unknown;
  bens.up = (message) => {
    if (message.type === "join") door = message.door;
    return [message];
  };

  await test.step("descriptions, altered, withheld and twice: another fingerprint does not come in", async () => {
    let count = 0;
    bens.down = (message) => {
      if (message.type !== "relayed") return [message];
      return count++ % 4 === 0 ? [altered(message)] : [altered(message), message, message];
    };
    await ben.open(bens.lead(link));
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    bens.down = pass;
    await refuses(ben, ALTERED, AGAIN);
  });

  await test.step("an offer that comes again is none", async () => {
    const before = await ben.configurations();
    for (const message of said(bens, "relayed")) bens.say(message);
    await ben.seesMoving("Ada");
    expect(await ben.configurations(), "connections").toHaveLength(before.length);
  });

  await test.step("who does not have the link is not in the room, whatever door they name", async () => {
    const eve = await person("Eve");
    const eves = await middle();
    eves.up = (message) => [message.type === "join" ? { ...message, door } : message];
    await eve.page.goto(eves.url);
    await eve.page.getByRole("button", { name: "Start a call" }).click();
    await eve.page.getByRole("textbox", { name: "Your name" }).fill("Eve");
    await eve.page.getByRole("button", { name: "Join now" }).click();
    await expect.poll(() => said(eves, "fault").map(({ code }) => code), SHOWN).toContain("refused-door");
    expect(eves.heard.map(({ type }) => type).filter((type) => type !== "challenge" && type !== "fault")).toEqual([]);
    for (const one of [ada, ben])
      await expect(one.page.getByRole("group", { name: /^Participant/ }), one.name).toHaveCount(2);
    await eve.page.close();
  });

  await test.step("a commit and a Welcome of the server's own change nothing", async () => {
    const body = "AAEAAg".repeat(40);
    bens.say({ type: "ordered", seq: 1, from: STRANGER, at: nodeOf(bens), next: SOMEWHERE, body });
    bens.say({ type: "welcomed", seq: 1, from: STRANGER, body });
    bens.say({ type: "alone" });
    bens.say({ type: "groups", tips: [{ at: SOMEWHERE, sessions: 40 }] });
    await refuses(ben, COMMIT, WELCOME);
  });

  await test.step("what is no message is not read in part, and costs the server its socket", async () => {
    for (const [what, text] of Object.entries(NO_MESSAGES))
      await test.step(what, () => refreshes(bens, () => bens.say(text)));
    await test.step("text that is none", () => refreshes(bens, () => bens.sayAsText(Uint8Array.of(0x7b, 0xff, 0x7d))));
    await expect.poll(() => refused(ben, UNREADABLE), SHOWN).toBe(Object.keys(NO_MESSAGES).length);
    expect(await ben.page.evaluate(() => "admitted" in {})).toBe(false);
  });

  await test.step("a message in many pieces is one message", async () => {
    bens.pieces = 50;
    await ada.page.getByRole("button", { name: "Camera" }).click();
    await expect(ben.video("Ada")).toBeHidden();
    await ada.page.getByRole("button", { name: "Camera" }).click();
    bens.pieces = 1;
  });

  await goesOn([ada, ben]);
});

test("a change out of order, twice, late or under another's name is one change; a withheld leave comes from the others", async ({
  server,
  middle,
  person,
}) => {
  const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
  const bens = await middle();
  const link = await ada.startCall(server.url);
  await ben.open(bens.lead(link));
  await ben.seesMoving("Ada");

  await test.step("a commit that comes after all that was said in its epoch", async () => {
    const held: Message[] = [];
    bens.down = (message) => {
      if (message.type !== "ordered") return [message];
      held.push(message);
      return [];
    };
    await cleo.open(link);
    await Promise.all([ben.seesMoving("Cleo"), cleo.seesMoving("Ben"), ben.seesMoving("Ada")]);
    bens.down = pass;
    expect(held.length).toBeGreaterThan(0);
    for (const message of held) bens.say(message);
    await refuses(ben, LATE);
  });

  await test.step("all that was ever said, once more, and the last commit as one of now", async () => {
    const connections = (await ben.configurations()).length;
    const types = ["relayed", "ordered", "welcomed", "knocked", "heartbeat-relayed"];
    for (const message of bens.heard.filter(({ type }) => types.includes(type))) bens.say(message);
    for (const message of said(bens, "ordered")) bens.say({ ...message, at: nodeOf(bens), next: SOMEWHERE });
    await refuses(ben, AGAIN, WELCOME, COMMIT);
    await goesOn([ada, ben, cleo]);
    expect(await ben.configurations(), "connections").toHaveLength(connections);
  });

  await test.step("whose a message is, the message says, and not the server", async () => {
    const [cleos] = said(bens, "knocked").map(({ from }) => from);
    bens.down = (message) => ["from" in message ? { ...message, from: cleos } : message];
    await ada.page.getByRole("button", { name: "Camera" }).click();
    await expect(ben.video("Ada")).toBeHidden();
    await ben.seesMoving("Cleo");
    await ada.page.getByRole("button", { name: "Camera" }).click();
    await ben.seesMoving("Ada");
    bens.down = pass;
  });

  await test.step("whom the server calls gone, and who is there, stays", async () => {
    for (const member of sessions(bens)) bens.say({ type: "presence", seq: 1, member, is: "gone" });
    await goesOn([ada, ben, cleo]);
  });

  await test.step("a leave that is withheld from one comes from the others, and nothing turns red", async () => {
    bens.down = withhold("relayed", "ordered", "history", "welcomed", "presence");
    await cleo.page.getByRole("button", { name: "Leave call" }).click();
    for (const one of [ada, ben]) await expect(one.tile("Cleo")).toHaveCount(0, SHOWN);
    await goesOn([ada, ben]);
  });
});

test("a stream's answers, records and asks that the server swaps, repeats or alters are refused by name, and it plays", async ({
  middle,
  person,
}) => {
  const host = await person("Host");
  const [hosts, firsts, seconds] = [await middle(), await middle(), await middle()];
  const link = await host.goLive(hosts.url);
  const [first] = (await watch(person, firsts.lead(link), 1)) as [ChromiumPerson];
  await first.seesMoving("the stream");
  const answers = (at: Middle) => said(at, "delivered").filter(isAnswer);
  const second = await person("Second");

  await test.step("an ask under another viewer's name is not answered", async () => {
    hosts.down = (message) => (message.type === "told" ? [message, { ...message, from: STRANGER }] : [message]);
    await test.step("and an answer altered, or another's, is none", async () => {
      seconds.down = (message) => {
        if (message.type !== "delivered" || !isAnswer(message)) return [message];
        // The host gives it again when it is asked again.
        return answers(seconds).length > 1 ? [message] : [altered(message), ...answers(firsts)];
      };
      await second.page.goto(seconds.lead(link));
      await second.seesMoving("the stream");
    });
    hosts.down = pass;
    seconds.down = pass;
    await Promise.all([refuses(second, ANSWER), refuses(host, ASK)]);
    await expect(host.page.getByRole("status", { name: "Viewers" })).toHaveText("2");
  });

  await test.step("an answer or a record that comes again, or is another's, is none", async () => {
    const before = [...said(seconds, "delivered"), ...said(firsts, "delivered")];
    for (const message of before) seconds.say(message);
    await expect.poll(() => refused(second, ANSWERED), SHOWN).toBeGreaterThanOrEqual(before.filter(isAnswer).length);
    const records = before.filter((message) => !isAnswer(message));
    await expect.poll(() => refused(second, RECORD), SHOWN).toBeGreaterThanOrEqual(records.length);
  });

  await test.step("what the server says of the host is only its word", async () => {
    for (const is of ["away", "ended"]) seconds.say({ type: "host-is", is });
    await goesOnPlaying([first, second]);
    for (const code of ["dismissed", "refused-door", "room-full", "version"]) {
      const before = said(seconds, "watching").length;
      seconds.say({ type: "fault", code, message: "over" });
      await expect.poll(() => said(seconds, "watching").length, SHOWN).toBe(before + 1);
      await goesOnPlaying([first, second]);
    }
    for (const is of ["here", "back"]) seconds.say({ type: "host-is", is });
    await goesOnPlaying([first, second]);
  });

  await test.step("what it says of viewers ends no connection to them", async () => {
    const connections = () => Promise.all([first, second].map(async (one) => (await one.configurations()).length));
    const before = await connections();
    for (const viewer of new Set(said(hosts, "told").map(({ from }) => from)))
      hosts.say({ type: "viewer", viewer, is: "gone" });
    // What takes a newcomer some seconds is long after the host's page has heard that.
    const [third] = (await watch(person, (await middle()).lead(link), 1)) as [ChromiumPerson];
    await goesOnPlaying([first, second, third]);
    expect(await connections(), "connections that were made").toEqual(before);
  });
});

/** The same with one letter of its body changed. */
function altered(message: Message): Message {
  const body = String(message.body);
  const at = Math.floor(body.length / 2);
  return { ...message, body: body.slice(0, at) + (body[at] === "A" ? "B" : "A") + body.slice(at + 1) };
}

/** What came from the server, of that type. */
function said({ heard }: Middle, type: string): Message[] {
  return heard.filter((message) => message.type === type);
}

/** PROTOCOL.md section 8.3. */
function isAnswer({ body }: Message): boolean {
  return Buffer.from(String(body), "base64url")[0] === 2;
}

/** The node of the epoch that the page entered last. */
function nodeOf(at: Middle): unknown {
  return said(at, "entered").at(-1)?.at;
}

/** All sessions that the server named to this page. */
function sessions({ heard }: Middle): unknown[] {
  return [...new Set(heard.flatMap(({ from, member }) => [from, member]).filter((id) => id !== undefined))];
}

/** How often that person's page says that it refused that. */
async function refused(person: ChromiumPerson, words: string): Promise<number> {
  const count = new RegExp(`([\\d,]+) × ${words}`).exec(await person.encryptionDetails())?.[1] ?? "0";
  return Number(count.replaceAll(",", ""));
}

async function refuses(person: ChromiumPerson, ...all: string[]): Promise<void> {
  for (const words of all)
    await expect
      .poll(() => refused(person, words), { ...SHOWN, message: `${person.name}: ${words}` })
      .toBeGreaterThan(0);
}

/** After that, the page is in its room again over another socket. */
async function refreshes(at: Middle, what: () => void): Promise<void> {
  const before = said(at, "joined").length;
  what();
  await expect.poll(() => said(at, "joined").length, SHOWN).toBe(before + 1);
}

/** Everybody sees everybody, and nothing is red. */
async function goesOn(people: ChromiumPerson[]): Promise<void> {
  const pairs = people.flatMap((one) => people.filter((other) => other !== one).map((other) => [one, other] as const));
  await Promise.all(pairs.map(([one, other]) => one.seesMoving(other.name)));
  for (const one of people) await expect(one.badge).toHaveText("encrypted", SHOWN);
}

async function goesOnPlaying(viewers: ChromiumPerson[]): Promise<void> {
  for (const viewer of viewers) {
    await viewer.seesMoving("the stream");
    await expect(viewer.video("the stream")).toBeVisible();
    await expect(viewer.badge).toHaveText("encrypted", SHOWN);
  }
}
