import { type CrowdedServer, crowd } from "./stage/crowd.ts";
import { SHOWN } from "./stage/expect.ts";
import { attack, hostileRelay, type RelayAttack } from "./stage/hostile-relay.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { standStill } from "./stage/stand-still.ts";
import { longestStill, watchStills } from "./stage/stills.ts";
import { test as base, expect } from "./stage/test.ts";

/** A change of way takes a few samples, and a browser that starts for it. */
const CHANGED = { timeout: 120_000 };

const test = base.extend<{ crowd: CrowdedServer | null }>({ crowd });

test.setTimeout(480_000);

test("a call goes over the media relay when a third comes, and back when one leaves: pictures go on, sealed all the time", async ({
  crowd,
  person,
}) => {
  if (crowd === null) return test.skip(true, "no livekit-server");
  const three = [await person("Ada"), await person("Ben"), await person("Cleo")] as const;
  const [ada, ben, cleo] = three;
  const two = [ada, ben] as const;
  await test.step("two send to each other", async () => {
    const link = await ada.startCall(crowd.server.url);
    await ben.open(link);
    await seeEachOther(two);
    for (const one of two) expect(await relayed(one)).toEqual([]);
    await Promise.all(two.map((one) => one.recordBadge()));
    await Promise.all([ada.video("Ben"), ben.video("Ada")].map((video) => video.evaluate(watchStills)));
    await cleo.open(link);
  });
  await test.step("three send over the relay, once each", async () => {
    for (const one of three) await expect.poll(() => relayed(one), CHANGED).toHaveLength(2);
    await seeEachOther(three);
    await Promise.all(three.map((one) => one.hears()));
    for (const one of three) await expect(one.badge).toHaveText("encrypted");
    await expect
      .poll(() => sending(ada), { ...SHOWN, message: "Ada's tracks that are sent" })
      .toEqual(["audio", "video"]);
  });
  await test.step("Cleo's page stands still for five seconds and signs nothing: nobody is accused, and all goes on", async () => {
    await cleo.page.evaluate(standStill, 5_000);
    await seeEachOther(three);
    for (const one of three) {
      await expect.poll(() => relayed(one), CHANGED).toHaveLength(2);
      expect(await one.encryptionDetails()).not.toContain("that its sender did not sign");
    }
  });
  await test.step("the relay knows neither names nor leaves", async () => {
    const known = await crowd.livekit.participants();
    expect(known).toHaveLength(3);
    for (const { identity, ...rest } of known) {
      expect(identity).toMatch(/^[\w-]{22}$/);
      expect(JSON.stringify(rest)).not.toMatch(/Ada|Ben|Cleo/);
    }
  });
  await test.step("the two that are left send to each other again", async () => {
    await cleo.page.getByRole("button", { name: "Leave call" }).click();
    for (const one of two) await expect.poll(() => relayed(one), CHANGED).toEqual([]);
    await seeEachOther(two);
    await expect.poll(() => crowd.livekit.participants(), CHANGED).toEqual([]);
    await seeEachOther(two);
  });
  for (const one of two) {
    test.info().annotations.push(await longestStill(one));
    expect(await one.badges(), one.name).toEqual(["encrypted"]);
  }
});

test("where the relay is not reached, or ends, pages say so and send to each other", async ({
  crowd,
  person,
  expectedErrors,
}) => {
  if (crowd === null) return test.skip(true, "no livekit-server");
  expectedErrors.push(/WebSocket connection to .* failed/, /ERR_CONNECTION_REFUSED/);
  const three = [await person("Ada"), await person("Ben"), await person("Cleo")] as const;
  const [ada, ben, cleo] = three;
  const link = await ada.startCall(crowd.server.url);
  for (const one of [ben, cleo]) await one.open(link);
  for (const one of three) await expect.poll(() => relayed(one), CHANGED).toHaveLength(2);
  await crowd.livekit.program.stop("SIGKILL");
  for (const one of three) await expect(notice(one)).toBeVisible(CHANGED);
  await seeEachOther(three);
  await Promise.all(three.map((one) => one.hears()));
  await crowd.livekit.program.restart();
  for (const one of three) await expect.poll(() => relayed(one), CHANGED).toHaveLength(2);
  await seeEachOther(three);
  for (const one of three) await expect(notice(one)).toBeHidden();
});

/** What a relay does without a key. */
const ATTACKS: readonly RelayAttack[] = ["replay", "splice", "clear", "kid", "counter", "flip", "truncate"];

test("a hostile media relay in a call: of what it repeats, moves, makes or changes nothing is played; what it keeps back comes over the links", async ({
  crowd,
  person,
}) => {
  if (crowd === null) return test.skip(true, "no livekit-server");
  const ben = await person("Ben", { sabotage: hostileRelay });
  const [ada, cleo] = [await person("Ada"), await person("Cleo")];
  const three = [ada, ben, cleo];
  const link = await ada.startCall(crowd.server.url);
  for (const one of [ben, cleo]) await one.open(link);
  for (const one of three) await expect.poll(() => relayed(one), CHANGED).toHaveLength(2);
  const hostile = async (event: "came" | "written") =>
    (await ben.tapped()).reduce((sum, { hostile }) => sum + hostile[event], 0);
  const strike = async (kind: RelayAttack, share: "beside" | "instead") => {
    const before = await hostile("came");
    await attack(ben, kind, { share, isMediaRelay: true });
    await expect.poll(() => hostile("came"), { ...SHOWN, message: kind }).toBeGreaterThan(before + 20);
  };

  for (const kind of ATTACKS)
    await test.step(`${kind} beside what was sent: all goes on`, async () => {
      await strike(kind, "beside");
      await seeEachOther(three);
      await expect(ben.badge).toHaveText("encrypted");
    });

  await test.step("in the place of what was sent: Ben sees and hears them over their links", async () => {
    await strike("flip", "instead");
    await expect.poll(() => relayed(ben), CHANGED).toEqual([]);
    await seeEachOther(three);
    await ben.hears();
    await expect(ben.badge).toHaveText("encrypted", SHOWN);
  });
  await attack(ben, null);
  expect(await hostile("written"), "frames of the relay's that went to a decoder").toBe(0);
  for (const one of three) await expect(one.badge).toHaveText("encrypted", SHOWN);
});

const notice = ({ page }: ChromiumPerson) => page.getByText("The relay for large calls is not reached.");

async function seeEachOther(people: readonly ChromiumPerson[]): Promise<void> {
  const pairs = people.flatMap((one) => people.filter((other) => other !== one).map((other) => [one, other] as const));
  await Promise.all(pairs.map(([one, other]) => one.seesMoving(other.name)));
}

/** A word for each person of whom a page says that what comes of them goes through the relay. */
async function relayed({ page }: ChromiumPerson): Promise<string[]> {
  const options = page.getByRole("group", { name: /^Options for /, includeHidden: true });
  return (await options.allTextContents()).filter((words) => words.includes("Through this call’s media relay"));
}

/** The kinds of all tracks that a page's senders have, over all its connections. */
function sending({ page }: ChromiumPerson): Promise<string[]> {
  return page.evaluate(() => {
    const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
    const senders = connections.filter((one) => one.connectionState === "connected").flatMap((one) => one.getSenders());
    return senders.flatMap(({ track }) => track?.kind ?? []).sort();
  });
}
