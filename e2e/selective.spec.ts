import { Dashboard } from "./stage/dashboard.ts";
import { nothingButRepeats } from "./stage/participant.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

test("key frames only: the rest is readable and counted, and everybody is told; sound stays sealed", async ({
  server,
  person,
}) => {
  const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  await expect(ben.badge).toHaveText("encrypted");

  await choose(ada, "Key frames only");
  for (const one of [ada, ben]) await expect(one.badge).toHaveText("encrypted in part");
  await ben.seesMoving("Ada");
  expect(await readable(ben, "Ada sent video")).toBeGreaterThan(0);
  expect(await readable(ben, "Ada sent audio")).toBe(0);
  expect(await readable(ben, "You sent video to Ada")).toBe(0);
  expect(await refused(ben, "Ada sent video")).toMatch(nothingButRepeats);

  await cleo.open(link);
  await cleo.seesMoving("Ada");
  await expect(cleo.badge).toHaveText("encrypted in part");
  expect(await refused(cleo, "Ada sent video")).toMatch(nothingButRepeats);

  await choose(ada, "Everything");
  for (const one of [ada, ben, cleo]) await expect(one.badge).toHaveText("encrypted");
  await Promise.all([ben.seesMoving("Ada"), cleo.seesMoving("Ada")]);
  expect([ada, ben, cleo].map(secondCipher), "a room that seals once has no use for the second cipher").toEqual([
    0, 0, 0,
  ]);
});

test("who receives without opening sees what is left readable, and nothing new once everything is sealed", async ({
  server,
  person,
}) => {
  const ada = await person("Ada");
  const eve = await person("Eve", { receiving: "without-opening" });
  await eve.open(await ada.startCall(server.url));
  await ada.seesMoving("Eve");
  await eve.seesNothingOf("Ada");
  await choose(ada, "Some frames");
  await ada.page.getByRole("button", { name: "Encryption details" }).click();
  await ada.page.getByRole("checkbox", { name: "Seal every key frame" }).uncheck();
  await ada.page.getByRole("slider").press("Home");
  await ada.page.getByRole("button", { name: "Close" }).click();
  await eve.seesMoving("Ada");
  await choose(ada, "Everything");
  await expect(ada.badge).toHaveText("encrypted");
  await eve.seesNothingNewOf("Ada");
});

test("frames left readable by a sender who announced nothing are refused, and the badge says so", {
  tag: "@journey",
}, async ({ server, person }) => {
  const ada = await person("Ada", { sabotage: leaveReadable });
  const ben = await person("Ben");
  await ben.open(await ada.startCall(server.url));
  await expect(ben.badge).toHaveText("failing", { timeout: 20_000 });
  await ben.page.getByRole("button", { name: "Encryption details" }).click();
  await expect(ben.page.getByRole("dialog")).toContainText("not sealed, though its sender announced no such thing");
  await ben.seesNothingOf("Ada");
});

test("a room that seals twice: the second cipher is in every frame, an eavesdropper sees nothing of it, and only there its library is loaded", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const link = await ada.startCall(server.url, { twice: true });
  await ben.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada"), ada.hears(), ben.hears()]);
  await expect(ben.badge).toHaveText("encrypted");
  await ben.page.getByRole("button", { name: "Encryption details" }).click();
  await expect(ben.page.getByRole("dialog")).toContainText("XChaCha20-Poly1305");
  const added = async () => (await ben.proof()).map((row) => Number.parseInt(row["Added to a frame"] ?? "", 10));
  // One layer adds 16 bytes of tag, and at most 8 of header.
  await expect.poll(async () => (await added()).filter((bytes) => bytes >= 32 + 3).length).toBe(4);
  await ben.page.getByRole("button", { name: "Close" }).click();
  expect(await ben.killMediaWorkers()).toBeGreaterThan(0);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  await expect.poll(() => secondCipher(ben)).toBeGreaterThan(0);
  await (await Dashboard.open(ada)).eavesdrop("Ben");
});

/** How often a page asked for the second cipher's library. */
function secondCipher({ requests }: ChromiumPerson): number {
  return requests.filter((url) => url.includes("two-layers")).length;
}

async function choose(person: ChromiumPerson, what: string): Promise<void> {
  await person.page.getByRole("button", { name: "Encryption details" }).click();
  await person.page.getByRole("radio", { name: what }).check();
  await person.page.getByRole("button", { name: "Close" }).click();
}

async function cell(person: ChromiumPerson, track: string, column: string): Promise<string> {
  await person.page.getByRole("button", { name: "Encryption details" }).click();
  const row = (await person.proof()).find(({ Track }) => Track === track);
  await person.page.getByRole("button", { name: "Close" }).click();
  return row?.[column] ?? "";
}

async function readable(person: ChromiumPerson, track: string): Promise<number> {
  return Number((await cell(person, track, "Left readable")).replaceAll(",", ""));
}

function refused(person: ChromiumPerson, track: string): Promise<string> {
  return cell(person, track, "Refused");
}

/** Runs in the sender's media workers: what a member's own changed page could do. */
function leaveReadable(): void {
  const policy = { mode: "rate", percent: 0, keyFrames: false };
  const data = { type: "follow", source: "camera", epoch: 1, policy };
  setInterval(() => globalThis.dispatchEvent(new MessageEvent("message", { data })), 100);
}
