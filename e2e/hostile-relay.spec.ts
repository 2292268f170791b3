import { AGAIN, SHOWN } from "./stage/expect.ts";
import { type AttackedShare, attack, hostileRelay, type RelayAttack } from "./stage/hostile-relay.ts";
import { nothingButRepeats } from "./stage/participant.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

test.setTimeout(180_000);

/** What the encryption details say of an attack's frames. */
const REASONS: [RelayAttack, ...string[]][] = [
  ["replay", AGAIN],
  ["splice", "sealed by someone else"],
  ["clear", "not a sealed frame"],
  [
    "kid",
    "sealed by someone else",
    "of an epoch that is over or not begun",
    "altered on the way or sealed with another key",
    "not sealed, though its sender announced no such thing",
  ],
  ["counter", "altered on the way or sealed with another key"],
  ["flip", "altered on the way or sealed with another key"],
  ["truncate", "not a sealed frame", "empty"],
];

test("a relay between two people: what it keeps back or reorders shows, and all goes on; of what it changes, repeats, moves or makes nothing does", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada", { sabotage: hostileRelay }), await person("Ben", { sabotage: hostileRelay })];
  await ben.open(await ada.startCall(server.url));
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada"), ben.hears()]);

  await attack(ada, "drop");
  const tile = ben.tile("Ada");
  await expect(tile.getByText("No signal"), "within 3 s, and some for a busy machine").toBeVisible({
    timeout: 4_000,
  });
  await expect(ben.badge, "what does not come breaks no seal").toHaveText("encrypted");
  await attack(ada, null);
  await expect(tile.getByText("No signal")).toBeHidden();
  await Promise.all([ben.seesMoving("Ada"), ben.hears()]);

  for (const [from, kind] of [
    [ada, "drop-some"],
    [ben, "reorder"],
  ] as const) {
    const [before, again] = [await opened(ben), sum(await tracksOf(ben, "Ada"), AGAIN)];
    await attack(from, kind);
    await expect.poll(() => opened(ben), { timeout: 10_000, message: kind }).toBeGreaterThan(before + 100);
    await attack(from, null);
    await expect(ben.badge).toHaveText("encrypted");
    await Promise.all([ben.seesMoving("Ada"), ben.hears()]);
    const repeats = sum(await tracksOf(ben, "Ada"), AGAIN) - again;
    expect(repeats, `${kind}: frames that another overtook are not taken for repeats`).toBeLessThan(20);
  }
  for (const { Refused } of await tracksOf(ben, "Ada")) expect(Refused).toMatch(nothingButRepeats);

  for (const [kind, ...reasons] of REASONS) {
    await test.step(`${kind}: beside the sender's frames, then in their place`, async () => {
      const before = await tracksOf(ben, "Ada");
      await strike(ben, kind, "beside");
      await expect(ben.badge).toHaveText("encrypted");
      await strike(ben, kind, "instead");
      await expect(ben.badge).toHaveText("failing", { timeout: 5_000 });
      await attack(ben, null);
      const after = await tracksOf(ben, "Ada");
      for (const reason of reasons)
        expect(sum(after, reason), `${kind}: ${reason}`).toBeGreaterThan(sum(before, reason));
      // No sooner than frames pass again.
      await expect(ben.badge).toHaveText("encrypted");
    });
  }
  expect(await hostile(ben, "written"), "frames of the relay's that went to a decoder").toBe(0);
  await Promise.all([ben.seesMoving("Ada"), ben.hears()]);
});

test("a relay among three, whose frames are sealed once for all: nobody's frames show in another's tile", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada", { sabotage: hostileRelay }), await person("Ben", { sabotage: hostileRelay })];
  const cleo = await person("Cleo");
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await cleo.open(link);
  await Promise.all([ben.seesMoving("Ada"), ben.seesMoving("Cleo"), cleo.seesMoving("Ada")]);
  await expect.poll(() => ada.sealedForSeveral("camera"), { timeout: 30_000 }).toBeGreaterThan(0);
  for (const [kind, reason] of [
    ["splice", "sealed by someone else"],
    ["flip", "altered on the way or sealed with another key"],
  ] as const) {
    await strike(ben, kind, "beside");
    await expect(ben.badge).toHaveText("encrypted");
    await strike(ben, kind, "instead");
    await expect(ben.badge).toHaveText("failing", { timeout: 5_000 });
    await attack(ben, null);
    for (const of of ["Ada", "Cleo"]) {
      const counts = (await tracksOf(ben, of)).map((track) => count(track, reason));
      expect(Math.min(...counts), `sound and picture of ${of}: ${reason}`).toBeGreaterThan(0);
    }
    await expect(ben.badge).toHaveText("encrypted", { timeout: 15_000 });
  }
  expect(await hostile(ben, "written"), "frames of the relay's that went to a decoder").toBe(0);

  await attack(ada, "drop");
  const keptBack = (one: ChromiumPerson) => one.tile("Ada").getByText("No signal");
  for (const one of [ben, cleo]) await expect(keptBack(one)).toBeVisible({ timeout: 4_000 });
  await expect(ben.tile("Cleo").getByText(/^No /)).toHaveCount(0);
  await attack(ada, null);
  await Promise.all([ben.seesMoving("Ada"), cleo.seesMoving("Ada"), ben.seesMoving("Cleo")]);
  for (const one of [ben, cleo]) await expect(keptBack(one)).toBeHidden();
  for (const one of [ada, ben, cleo]) await expect(one.badge).toHaveText("encrypted");
});

test("a relay before one who watches a stream: they are told, nobody is accused, and the stream goes on", async ({
  server,
  person,
}) => {
  const host = await person("Host", { sabotage: hostileRelay });
  const viewer = await person("Viewer", { sabotage: hostileRelay });
  await viewer.page.goto(await host.goLive(server.url));
  await viewer.seesMoving("the stream");
  for (const [kind, reason] of [
    ["replay", AGAIN],
    ["clear", "not a sealed frame"],
    ["kid", "sealed by someone else"],
    ["flip", "altered on the way or sealed with another key"],
  ] as const) {
    await strike(viewer, kind, "beside");
    await expect(viewer.badge).toHaveText("encrypted");
    await strike(viewer, kind, "instead");
    await expect(viewer.badge).toHaveText("failing", { timeout: 5_000 });
    const tracks = await tracksOf(viewer, "The host");
    await attack(viewer, null);
    expect(sum(tracks, reason), `${kind}: ${reason}`).toBeGreaterThan(0);
    await expect(viewer.badge).toHaveText("encrypted");
  }
  expect(await hostile(viewer, "written"), "frames of the relay's that went to a decoder").toBe(0);
  await attack(host, "drop");
  await expect(viewer.page.getByRole("heading", { name: "Reconnecting…" })).toBeVisible({ timeout: 4_000 });
  await attack(host, null);
  await viewer.seesMoving("the stream");
  await expect(viewer.badge).toHaveText("encrypted");
  await expect(viewer.page.getByRole("heading", { name: "The picture is not the host’s" })).toHaveCount(0);
});

/** Has the relay before someone's page do that, until some frames of it have come on every track. */
async function strike(person: ChromiumPerson, kind: RelayAttack, share: AttackedShare): Promise<void> {
  const before = await hostile(person, "came");
  await attack(person, kind, { share });
  await expect.poll(() => hostile(person, "came"), SHOWN).toBeGreaterThan(before + 10);
}

/** How many frames a person's opening transforms have written. */
async function opened(person: ChromiumPerson): Promise<number> {
  const opening = (await person.tapped()).filter(({ side }) => side === "open");
  return opening.reduce((sum, { written }) => sum + written, 0);
}

/** How many frames that the relay changed or made came to a person's opening transforms, or were written by them. */
async function hostile(person: ChromiumPerson, event: "came" | "written"): Promise<number> {
  return (await person.tapped()).reduce((sum, { hostile }) => sum + hostile[event], 0);
}

/** Rows of the encryption details: what comes from someone. */
async function tracksOf(person: ChromiumPerson, of: string): Promise<Record<string, string>[]> {
  await person.page.getByRole("button", { name: "Encryption details" }).click();
  const rows = (await person.proof()).filter(({ Track }) => Track?.startsWith(`${of} sent`));
  await person.page.getByRole("button", { name: "Close" }).click();
  return rows;
}

function sum(tracks: Record<string, string>[], reason: string): number {
  return tracks.reduce((sum, track) => sum + count(track, reason), 0);
}

/** How many frames of a track were refused for a reason. */
function count({ Refused = "" }: Record<string, string> = {}, reason: string): number {
  return Number(Refused.match(`([\\d,]+) ${reason}`)?.[1]?.replaceAll(",", "") ?? 0);
}
