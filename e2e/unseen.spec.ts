import { keepProfileBack, nameLeaf, sendKeptProfile } from "./stage/changed-client.ts";
import type { Person } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

const SHOWN = { timeout: 15_000 };

test("a client that never says anything of itself has a tile, a place in the list and no media past its removal", {
  tag: "@journey",
}, async ({ server, person }) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const eve = await person("Eve", { before: keepProfileBack });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([verify(ada, "Ben"), verify(ben, "Ada")]);
  for (const one of [ada, ben]) await expect(one.badge).toHaveText("verified");
  await eve.open(link);
  for (const one of [ada, ben]) {
    await expect(one.tile("Eve").getByText("No signal")).toBeVisible(SHOWN);
    await expect(one.badge).toHaveText("encrypted");
    await expect(one.page.getByText("Eve joined.")).toBeAttached(SHOWN);
  }
  await eve.seesMoving("Ada");
  await removes(ada, "Eve", eve);
  for (const one of [ada, ben]) {
    await expect(one.page.getByText("Eve was removed.")).toBeAttached(SHOWN);
    await expect(one.page.getByRole("group", { name: /^Participant/ })).toHaveCount(2);
    await expect(one.badge).toHaveText("verified");
  }
});

test("a client that says it late shows before, and with its picture after", async ({ server, person }) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const eve = await person("Eve", { before: keepProfileBack });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await eve.open(link);
  for (const one of [ada, ben]) await expect(one.tile("Eve").getByText("No signal")).toBeVisible(SHOWN);
  await sendKeptProfile(eve);
  await Promise.all([ada.seesMoving("Eve"), ben.seesMoving("Eve")]);
  for (const one of [ada, ben]) await expect(one.tile("Eve").getByText("No signal")).toBeHidden();
});

test("a client under another's name is marked, at everybody, and can be removed alone", { tag: "@journey" }, async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const eve = await person("Eve", { before: keepProfileBack });
  await nameLeaf(eve, "B\u0435\u200bn");
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await verify(ada, "Ben");
  await eve.open(link);
  const second = "B\u0435n (2)";
  await expect(ada.tile(second)).toBeVisible(SHOWN);
  await expect(ada.badge).toHaveText("encrypted");
  await expect(ada.page.getByRole("alert").filter({ hasText: "isn’t the Ben you verified" })).toBeVisible();
  await expect(ada.tile(second).getByRole("img", { name: "Not the person you verified" })).toBeVisible();
  await expect(ben.page.getByRole("alert").filter({ hasText: "has your name" })).toBeVisible(SHOWN);
  await removes(ada, second, eve);
  await expect(ada.tile(second)).toHaveCount(0);
  await ada.seesMoving("Ben");
  await expect(ada.badge).toHaveText("verified");
});

test("a client shows, and can be removed, whatever its name is", async ({ server, person }) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  for (const [raw, shown] of [
    // Nothing that is seen; text that turns its surroundings round; as many signs as a leaf holds; towers of marks.
    ["\u202e\u200b\u00a0", "No name"],
    ["\u202eevE\u2066 (uoy)", "evE (uoy)"],
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

test("a name that no leaf holds lets nobody in", async ({ server, person, expectedErrors }) => {
  const ada = await person("Ada");
  const link = await ada.startCall(server.url);
  expectedErrors.push(/a leaf cannot hold this name/);
  for (const name of ["", "x".repeat(10_000)]) {
    const eve = await person("Eve");
    await nameLeaf(eve, name);
    await eve.page.goto(link);
    await eve.page.getByRole("button", { name: "Join now" }).click();
    await expect.poll(() => eve.errors.length, SHOWN).toBeGreaterThan(0);
    await expect(ada.page.getByRole("group", { name: /^Participant/ })).toHaveCount(1);
  }
});

test("a verified person under a new name is shown with the one that was verified", async ({ server, person }) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  await ben.open(await ada.startCall(server.url));
  await verify(ada, "Ben");
  await expect(ada.badge).toHaveText("verified");
  await ben.page.getByRole("button", { name: "People" }).click();
  await ben.page.getByRole("textbox", { name: "Your name" }).fill("Robert");
  await ben.page.getByRole("button", { name: "Change" }).click();
  await ben.page.getByRole("button", { name: "Close" }).click();
  await expect(ada.tile("Robert")).toContainText("verified as Ben", SHOWN);
  await expect(ada.badge).toHaveText("encrypted");
  await expect(ada.page.getByText("Ben is now called Robert.")).toBeAttached();
  await expect(ben.tile("Robert (you)")).toBeVisible();

  await ada.page.getByRole("button", { name: "People" }).click();
  await entry(ada, "Robert").getByRole("button", { name: "Remember as Robert" }).click();
  await ada.page.getByRole("button", { name: "Close" }).click();
  await expect(ada.badge).toHaveText("verified");
});

function entry(person: Person, name: string) {
  return person.page.getByRole("dialog", { name: "People" }).getByRole("listitem", { name, exact: true });
}

async function verify(person: Person, name: string): Promise<void> {
  await person.page.getByRole("button", { name: "People" }).click();
  await entry(person, name).getByRole("button", { name: "Mark as verified" }).click({ timeout: 30_000 });
  await person.page.getByRole("button", { name: "Close" }).click();
}

/** One removes another, who then gets nothing any more. */
async function removes(host: Person, name: string, removed: Person): Promise<void> {
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
