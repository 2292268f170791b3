import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { damaged } from "./stage/damaged.ts";
import { savedFile, sendFiles } from "./stage/files.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { test as base, expect } from "./stage/test.ts";
import {
  found,
  foundOnDisk,
  keepGiven,
  type Mark,
  nameMark,
  readable,
  secretMark,
  seenByServer,
  sentMark,
} from "./stage/traces.ts";
import { withoutPicker } from "./stage/vault.ts";

interface Scene {
  /** A folder for all that a browser keeps. To be asked for before the person who uses it, who then leaves before it goes. */
  profile: string;
}

const test = base.extend<Scene>({
  profile: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), "sealcast-profile-"));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
});

test.setTimeout(180_000);

/** What one person sends another during the call. */
const FILE = { name: "Zwiebelturm-Bauplan.txt", words: "Der Turm hat dreizehn Zwiebeln." };

/** Files in which Chromium itself keeps addresses that were opened, fragment included. No page can have it forget one. */
const HISTORY = /^(Default\/(History|Favicons|Top Sites|Sessions\/)|segmentation_platform\/ukm_db)/;

test("what is looked for in what the server saw is found in every form, at any place, also within a message's body", () => {
  for (const said of [WRITTEN.name, FILE.name, ...SHOWN_TO_OTHERS])
    for (const bytes of [Buffer.from(said), Buffer.from(said, "utf16le"), Buffer.from(said, "utf16le").swap16()])
      for (const ahead of ["", "a", "ab", "abc"]) {
        const inside = Buffer.concat([Buffer.from(ahead), bytes, Buffer.from("and more")]);
        for (const carried of [
          inside,
          ...(["hex", "base64", "base64url"] as const).map((as) => Buffer.from(inside.toString(as))),
        ])
          for (const seen of [
            carried.toString("latin1"),
            JSON.stringify({ type: "relay", body: carried.toString("base64url") }),
          ])
            expect(found(seenByServer([seen]), [sentMark(said)]), seen).toEqual([said]);
      }
});

test("a link with a wrong secret is refused before the server hears of it", { tag: "@journey" }, async ({
  server,
  person,
}) => {
  const ada = await person("Ada");
  const eve = await person("Eve");
  await eve.page.goto(damaged(await ada.startCall(server.url)));
  await expect(eve.page.getByText("This link is damaged or incomplete. Ask for it again.")).toBeVisible();
  await expect(eve.page.getByRole("button", { name: "Join now" })).toHaveCount(0);
  expect(eve.socket).toEqual([]);
});

test("who receives without opening decodes nothing", { tag: "@journey" }, async ({ server, person }) => {
  const ada = await person("Ada");
  const eve = await person("Eve", { receiving: "without-opening" });
  const ben = await person("Ben");
  const link = await ada.startCall(server.url);
  await eve.open(link);
  await ben.open(link);
  await ben.seesMoving("Ada");
  const arrived = async () => (await eve.tapped()).filter(({ side, kind }) => side === "open" && kind === "video");
  const handedOn = async () => (await arrived()).reduce((sum, { written }) => sum + written, 0);
  await expect.poll(handedOn, { timeout: 30_000 }).toBeGreaterThan(60);
  await eve.seesNothingOf("Ada");
  await eve.seesNothingOf("Ben");
});

test("nothing of a call is in any byte that the server saw, nor in the page and on the disk afterwards, but for Chromium's history", {
  tag: "@journey",
}, async ({ server, profile, person }) => {
  const ada = await person("Adelheid-Zwicknagl", { profile, before: keepGiven });
  const ben = await person("Benvenuto-Quetzal", { before: withoutPicker });
  await ben.page.addInitScript(keepGiven);
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([ada.seesMoving(ben.name), ben.seesMoving(ada.name)]);
  await test.step("what they write and show", () => talk(ada, ben));
  await sendFiles(ada, [{ name: FILE.name, mimeType: "text/plain", buffer: Buffer.from(FILE.words) }], ben.name);
  expect(readFileSync(await savedFile(ben, FILE.name), "utf8")).toBe(FILE.words);
  await ada.page.getByRole("button", { name: "Close" }).click();
  const secret = secretMark(new URL(link).hash.slice(1));
  await test.step("each of these was given to be sealed, as it is looked for", async () => {
    await gave(ada, [ada.name, FILE.name]);
    await gave(ben, [ben.name, WRITTEN.name, ...SHOWN_TO_OTHERS]);
  });
  await test.step("what each page said and asked the server for", () =>
    toldNothing([ada, ben], link, [ada.name, ben.name, WRITTEN.name, FILE.name, FILE.words, ...SHOWN_TO_OTHERS]));

  await holdsNothing(ada, [secret], ["document"]);
  expect(found((await readable(ada.page)).places.document ?? "", [secret, nameMark(ben.name)])).toEqual([ben.name]);
  await ada.page.getByRole("button", { name: "Leave call" }).click();
  await expect(ada.page.getByText("You left the call")).toBeVisible();
  await holdsNothing(ada, [secret, nameMark(ben.name), WRITTEN]);
  expect(
    found(server.logged.join("\n"), [secret, nameMark(ada.name), nameMark(ben.name), WRITTEN, nameMark(FILE.name)]),
  ).toEqual([]);
  expect(server.logged.length).toBeGreaterThan(1);
  await ada.context.close();
  expect(foundInHistory(profile, secret), "in Chromium's history").not.toEqual([]);
  expect(foundElsewhere(profile, [secret, nameMark(ben.name), WRITTEN])).toEqual([]);
  const own = foundElsewhere(profile, [nameMark(ada.name)]);
  expect(own.filter((file) => !file.startsWith("Default/Local Storage/"))).toEqual([]);
});

test("a browser killed during a call leaves neither the link's secret nor others' names on the disk, but for its history", async ({
  server,
  profile,
  person,
}) => {
  const ada = await person("Adelheid-Zwicknagl");
  const ben = await person("Benvenuto-Quetzal", { profile });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ben.seesMoving(ada.name);
  const secret = secretMark(new URL(link).hash.slice(1));
  await holdsNothing(ben, [secret], ["document"]);
  await kill(ben);
  expect(foundElsewhere(profile, [secret, nameMark(ada.name)])).toEqual([]);
});

test("nothing of a stream, its title, names, a question and the answer is in any byte that the server saw, nor afterwards in the pages and on the disks, but for the link in the viewer's history", async ({
  server,
  profile,
  person,
}) => {
  const host = await person("Host", { profile: join(profile, "host"), before: keepGiven });
  const viewer = await person("Viewer", { profile: join(profile, "viewer"), before: keepGiven });
  const [title, hostName, viewerName] = ["Zwiebelturm-Gezeiten", "Adelheid-Zwicknagl", "Benvenuto-Quetzal"];
  const [question, answer] = ["Quellwassertiefe?", "Neunundneunzig-Faden"];
  const words = [title, hostName, viewerName, question, answer];
  await host.page.goto(server.url);
  await host.page.getByRole("button", { name: "Go live" }).click();
  await host.page.getByRole("textbox", { name: "Title (optional)" }).fill(title);
  await host.page.getByRole("textbox", { name: "Your name (optional)" }).fill(hostName);
  await host.start();
  const link = await host.viewersLink();
  await host.page.evaluate(() => navigator.clipboard.writeText(""));
  await viewer.page.goto(link);
  await viewer.seesMoving("the stream");
  await expect(viewer.page.getByRole("heading", { name: title })).toBeVisible();
  await viewer.page.getByRole("button", { name: "Ask" }).click();
  await viewer.page.getByRole("textbox", { name: "Your name (optional)" }).fill(viewerName);
  await viewer.page.getByRole("textbox", { name: "Your question" }).fill(question);
  await viewer.page.getByRole("button", { name: "Send question" }).click();
  await viewer.page.getByRole("button", { name: "Close" }).click();
  await expect(host.page.getByText(`${viewerName} ${question}`)).toBeVisible();
  await host.page.getByRole("button", { name: "Answer the question of viewer 1" }).click();
  await host.page.getByRole("textbox", { name: "Your answer to viewer 1" }).fill(answer);
  await host.page.getByRole("button", { name: "Show to all viewers" }).click();
  await expect(viewer.page.getByText(answer)).toBeVisible();
  const secret = secretMark(new URL(link).hash.slice(1));
  const marks = [secret, ...words.map(nameMark)];
  await test.step("each of these was given to be sealed, as it is looked for", async () => {
    await gave(host, [title, hostName, answer]);
    await gave(viewer, [viewerName, question]);
  });
  await test.step("what each page said and asked the server for", () => toldNothing([host, viewer], link, words));
  for (const one of [viewer, host]) {
    await holdsNothing(one, marks, ["document"]);
    await holdsNothing(one, [secret]);
  }
  await host.page.getByRole("button", { name: "End stream" }).click();
  await host.page.getByRole("button", { name: "End for everybody" }).click();
  await expect(host.page.getByText("The stream has ended")).toBeVisible();
  await expect(viewer.page.getByText("The stream has ended")).toBeVisible();
  for (const one of [host, viewer]) {
    await holdsNothing(one, marks, ["document"]);
    await holdsNothing(one, [secret]);
    await one.context.close();
  }
  expect(found(server.logged.join("\n"), marks)).toEqual([]);
  for (const one of ["host", "viewer"]) expect(foundOnDisk(join(profile, one), words.map(nameMark))).toEqual([]);
  expect(foundOnDisk(join(profile, "host"), [secret])).toEqual([]);
  expect(foundInHistory(join(profile, "viewer"), secret), "in Chromium's history").not.toEqual([]);
  expect(foundElsewhere(join(profile, "viewer"), [secret])).toEqual([]);
});

/** What is written in the chat. */
const WRITTEN = nameMark("Xylophon-Rendezvous-Quarzkristall");

/** What a raised hand, a reaction and a message are before they are sealed. */
const SHOWN_TO_OTHERS = ['"type":"hand"', '"type":"reaction"', '"reaction":"clapping"', '"type":"chat"'];

/** Ben writes, reacts and raises his hand; Ada reads and sees it. */
async function talk(ada: ChromiumPerson, ben: ChromiumPerson): Promise<void> {
  await ben.page.getByRole("button", { name: /^Chat/ }).click();
  await ben.page.getByRole("textbox", { name: "Message" }).fill(WRITTEN.name);
  await ben.page.keyboard.press("Enter");
  await ada.page.getByRole("button", { name: /^Chat/ }).click();
  await expect(ada.page.getByRole("log", { name: "Messages" })).toContainText(WRITTEN.name);
  await ben.page.getByRole("button", { name: "Reactions" }).click();
  await ben.page.getByRole("button", { name: "Applause" }).click();
  await expect(ada.tile(ben.name).getByRole("img", { name: "Applause" })).toBeVisible();
  await ben.page.getByRole("button", { name: "Raise hand" }).click();
  await expect(ada.tile(ben.name).getByRole("img", { name: "Hand raised, number 1" })).toBeVisible();
  await ada.page.getByRole("button", { name: "Close chat" }).click();
}

/** A page gave each of these to what seals it: a search for what nobody sends would find nothing anywhere. */
async function gave({ page, name }: ChromiumPerson, said: string[]): Promise<void> {
  const given = await page.evaluate(() => (globalThis as unknown as { given: string[] }).given.join("\n"));
  expect(found(given, said.map(sentMark)), `what ${name} gave to be sealed`).toEqual(said);
}

/** What people said and showed, descriptions, addresses and the link's secret are in no byte between these pages and the server. */
function toldNothing(people: ChromiumPerson[], link: string, said: string[]): void {
  const descriptions = ["candidate:", "a=fingerprint", "a=ice-pwd", "v=0\r\n", "127.0.0.1", "microphone"];
  const secret = secretMark(new URL(link).hash.slice(1));
  for (const one of people) {
    expect(one.socket.length, "the page spoke with the server").toBeGreaterThan(10);
    const seen = seenByServer([...one.socket, ...one.requests]);
    expect(found(seen, [secret, ...said.map(sentMark)]), `what the server saw of ${one.name}`).toEqual([]);
    expect(descriptions.filter((word) => seen.includes(word))).toEqual([]);
  }
}

function foundElsewhere(profile: string, marks: Mark[]): string[] {
  return foundOnDisk(profile, marks).filter((file) => !HISTORY.test(file));
}

/** That something is found there also shows that the search finds. */
function foundInHistory(profile: string, mark: Mark): string[] {
  return foundOnDisk(profile, [mark]).filter((file) => HISTORY.test(file));
}

/** Whatever scripts of the page can read, and what it wrote to the console: no mark, and no key that can be exported. */
async function holdsNothing(person: ChromiumPerson, marks: Mark[], except: string[] = []): Promise<void> {
  const { places, exportable, keys } = await readable(person.page);
  for (const [place, text] of Object.entries({ ...places, console: person.console.join("\n") }))
    if (!except.includes(place)) expect(found(text, marks), `${person.name}'s ${place}`).toEqual([]);
  expect(keys, `${person.name}'s keys on the disk`).toBeGreaterThan(0);
  expect(exportable, `${person.name}'s keys that can be exported`).toEqual([]);
}

/** As a power cut would. */
async function kill({ context }: ChromiumPerson): Promise<void> {
  const browser = context.browser();
  if (browser === null) throw new Error("This browser cannot be asked for its processes.");
  const { processInfo } = await (await browser.newBrowserCDPSession()).send("SystemInfo.getProcessInfo");
  const main = processInfo.find(({ type }) => type === "browser");
  if (main === undefined) throw new Error("This browser tells of no process.");
  const gone = context.waitForEvent("close");
  process.kill(main.id, "SIGKILL");
  await gone;
}
