import { keepProfileBack, nameLeaf, sendKeptProfile } from "./stage/changed-client.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

const SHOWN = { timeout: 15_000 };

test("a client that says nothing of itself, or late, or takes another's name has a tile, is marked at everybody, and gets no media past its removal", {
  tag: "@journey",
}, async ({ server, person }) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const eve = await person("Eve", { before: keepProfileBack });
  // Text that would turn its surroundings round.
  await nameLeaf(eve, "\u202eevE\u2066 (uoy)");
  const shown = "evE (uoy)";
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([verify(ada, "Ben"), verify(ben, "Ada")]);
  for (const one of [ada, ben]) await expect(one.badge).toHaveText("verified");
  await eve.open(link);
  for (const one of [ada, ben]) {
    await expect(one.tile(shown).getByText("No signal")).toBeVisible(SHOWN);
    await expect(one.badge).toHaveText("encrypted");
    await expect(one.page.getByText(`${shown} joined.`)).toBeAttached(SHOWN);
  }
  await eve.seesMoving("Ada");
  await removes(ada, shown, eve);
  for (const one of [ada, ben]) {
    await expect(one.page.getByText(`${shown} was removed.`)).toBeAttached(SHOWN);
    await expect(one.page.getByRole("group", { name: /^Participant/ })).toHaveCount(2);
    await expect(one.badge).toHaveText("verified");
  }

  // Another client, in the guise of who was verified.
  const eva = await person("Eva", { before: keepProfileBack });
  await nameLeaf(eva, "B\u0435\u200bn");
  await eva.open(await ada.inviteLink());
  const second = "B\u0435n (2)";
  for (const one of [ada, ben]) await expect(one.tile(second).getByText("No signal")).toBeVisible(SHOWN);
  await expect(ada.badge).toHaveText("encrypted");
  await expect(ada.page.getByRole("alert").filter({ hasText: "isn’t the Ben you verified" })).toBeVisible();
  await expect(ada.tile(second).getByRole("img", { name: "Not the person you verified" })).toBeVisible();
  await expect(ben.page.getByRole("alert").filter({ hasText: "has your name" })).toBeVisible(SHOWN);
  await sendKeptProfile(eva);
  await Promise.all([ada.seesMoving(second), ben.seesMoving(second)]);
  for (const one of [ada, ben]) await expect(one.tile(second).getByText("No signal")).toBeHidden();
  await removes(ada, second, eva);
  await expect(ada.tile(second)).toHaveCount(0);
  await ada.seesMoving("Ben");
  await expect(ada.badge).toHaveText("verified");
});

test("a client shows, and can be removed, whatever its name is; with one that no leaf holds it does not come in", async ({
  server,
  person,
  expectedErrors,
}) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  expectedErrors.push(/a leaf cannot hold this name/);
  for (const name of ["", "x".repeat(10_000)]) {
    const eve = await person("Eve");
    await nameLeaf(eve, name);
    await eve.page.goto(link);
    await eve.page.getByRole("button", { name: "Join now" }).click();
    await expect.poll(() => eve.errors.length, SHOWN).toBeGreaterThan(0);
    await expect(ada.page.getByRole("group", { name: /^Participant/ })).toHaveCount(2);
    await eve.page.close();
  }
  for (const [raw, shown] of [
    // Nothing that is seen; as many signs as a leaf holds; towers of marks.
    ["\u202e\u200b\u00a0", "No name"],
    ["x".repeat(128), `${"x".repeat(40)}\u2026`],
    [`E${"\u0336".repeat(60)}`, `E${"\u0336".repeat(4)}`],
  ] as const) {
    const eve = await person("Eve", { before: keepProfileBack });
    await nameLeaf(eve, raw);
    await eve.open(await ada.inviteLink());
    for (const one of [ada, ben]) await expect(one.tile(shown)).toBeVisible(SHOWN);
    await removes(ada, shown, eve);
    for (const one of [ada, ben]) await expect(one.tile(shown)).toHaveCount(0);
    await eve.page.close();
  }
});

function entry(person: ChromiumPerson, name: string) {
  return person.page.getByRole("dialog", { name: "People" }).getByRole("listitem", { name, exact: true });
}

async function verify(person: ChromiumPerson, name: string): Promise<void> {
  await person.page.getByRole("button", { name: "People" }).click();
  await entry(person, name).getByRole("button", { name: "Mark as verified" }).click({ timeout: 30_000 });
  await person.page.getByRole("button", { name: "Close" }).click();
}

/** One removes another, who then gets nothing any more. */
async function removes(host: ChromiumPerson, name: string, removed: ChromiumPerson): Promise<void> {
  await host.page.getByRole("button", { name: "People" }).click();
  await entry(host, name).getByRole("button", { name: "Remove from call" }).click();
  await entry(host, name)
    .getByRole("button", { name: `Remove ${name}` })
    .click();
  await host.page.getByRole("button", { name: "Close" }).click();
  await expect(removed.page.getByText("You were removed from the call")).toBeVisible(SHOWN);
  await expect.poll(() => removed.page.evaluate(receiving), "connections of the removed page").toBe(0);
}

/** Runs in a page: how many of its connections are not closed. */
function receiving(): number {
  const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
  return connections.filter(({ connectionState }) => connectionState !== "closed").length;
}
