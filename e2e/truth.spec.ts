import { pass, withhold } from "./stage/middle.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

/** Who withholds or splits shows within this, in the badge and in words. Frames that do not open may show before. */
const WITHIN = { timeout: 15_000 };

test("a change that neither the server nor the others give to one member is red with them; to the others they do not answer", {
  tag: "@journey",
}, async ({ server, middle, person }) => {
  const withoutCommits = { before: keepsCommits };
  const [ada, ben, cleo] = [
    await person("Ada", withoutCommits),
    await person("Ben", withoutCommits),
    await person("Cleo", withoutCommits),
  ];
  const bens = await middle();
  const link = await ada.startCall(server.url);
  await ben.open(bens.lead(link));
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  bens.down = withhold("ordered", "history", "welcomed");
  await cleo.open(link);
  await expect(ben.badge).toHaveText("failing", WITHIN);
  await expect(ben.page.getByRole("alert").filter({ hasText: "withheld from you" })).toBeVisible(WITHIN);
  // Ben asked to join again, which nobody tells him of either: the others wait for him on another connection.
  for (const one of [ada, cleo])
    await expect(one.tile("Ben").getByText(/Connecting|Reconnecting|Not answering|No signal/)).toBeVisible(WITHIN);
});

test("a removal that the server does not order: nobody sends to who is removed meanwhile, and it is done once the server does", async ({
  server,
  middle,
  person,
}) => {
  const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
  const adas = await middle();
  const link = await ada.startCall(adas.url);
  for (const one of [ben, cleo]) await one.open(link.replace(adas.url, server.url));
  await Promise.all([ben.seesMoving("Ada"), ben.seesMoving("Cleo"), cleo.seesMoving("Ben"), cleo.seesMoving("Ada")]);
  adas.up = withhold("commit");
  await ada.page.getByRole("button", { name: "People" }).click();
  const entry = ada.page.getByRole("dialog").getByRole("listitem", { name: "Ben", exact: true });
  await entry.getByRole("button", { name: "Remove from call" }).click();
  await expect(entry.getByRole("button", { name: "Cancel" })).toBeFocused();
  await ada.page.keyboard.press("Enter");
  await expect(entry.getByRole("button", { name: "Remove from call" })).toBeFocused();
  await ada.page.keyboard.press("Enter");
  await entry.getByRole("button", { name: "Remove Ben" }).click();
  await expect(entry.getByText("Removing… You send them nothing.")).toBeFocused();
  await expect(entry.getByRole("button", { name: "Make host" })).toBeHidden();
  await ada.page.getByRole("button", { name: "Close" }).click();
  for (const one of [ada, cleo]) await expect(one.tile("Ben").getByText("Removing…")).toBeVisible(WITHIN);
  for (const name of ["Ada", "Cleo"]) await expect(ben.tile(name).getByText(/No signal|No video/)).toBeVisible(WITHIN);
  await Promise.all([cleo.seesMoving("Ada"), ada.seesMoving("Cleo")]);
  // What is written waits; a hand, which does not, shows that Ben would have it by then.
  const chat = ({ page }: typeof ben) => page.getByRole("button", { name: /^Chat/ });
  await chat(cleo).click();
  await cleo.page.getByRole("textbox", { name: "Message" }).fill("not for Ben");
  await cleo.page.keyboard.press("Enter");
  await cleo.page.getByRole("button", { name: "Raise hand" }).click();
  await expect(cleo.page.getByText("wait until the removal of Ben is done")).toBeVisible();
  await expect(ben.tile("Cleo").getByRole("img", { name: /^Hand raised/ })).toBeVisible(WITHIN);
  for (const one of [ben, ada]) await expect(chat(one)).toHaveAccessibleName("Chat");
  adas.up = pass;
  await expect(ben.page.getByText("You were removed from the call")).toBeVisible(WITHIN);
  await expect(chat(ada)).toHaveAccessibleName("Chat 1 unread message", WITHIN);
  await expect(cleo.page.getByText("wait until the removal of Ben is done")).toBeHidden();
  await Promise.all([cleo.seesMoving("Ada"), ada.seesMoving("Cleo")]);
});

test("a room that is split in two shows on both sides", { tag: "@journey" }, async ({ server, middle, person }) => {
  const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
  const [adas, bens] = [await middle(), await middle()];
  const link = await ada.startCall(adas.url);
  await ben.open(bens.lead(link));
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  // Each hears that the commit of their own was ordered, and nothing that would tell of the other's: once both have one, since
  // who has none yet would take the other's over their own connection.
  const orders = new Map<typeof adas, () => void>();
  for (const hands of [adas, bens]) {
    hands.down = withhold("ordered", "refused", "relayed", "welcomed");
    hands.up = (message) => {
      const { type, at, next, body } = message;
      // Who is to be let in again, since nothing opens, would be gone before the other is heard to be elsewhere.
      if (type !== "commit") return withhold("knock")(message);
      orders.set(hands, () => hands.say({ type: "ordered", seq: 10_000, from: "A".repeat(22), at, next, body }));
      if (orders.size === 2) for (const order of orders.values()) order();
      return [];
    };
  }
  await cleo.page.goto(link.replace(adas.url, server.url));
  await cleo.page.getByRole("textbox", { name: "Your name" }).fill("Cleo");
  await cleo.page.getByRole("button", { name: "Join now" }).click();
  const apart = (one: ChromiumPerson, other: string) =>
    one.page.getByRole("alert").filter({ hasText: `You and ${other} do not see the same call` });
  await Promise.all([
    ...[ada, ben].map((one) => expect(one.badge).toHaveText("failing", WITHIN)),
    expect(apart(ada, "Ben")).toBeVisible(WITHIN),
    expect(apart(ben, "Ada")).toBeVisible(WITHIN),
  ]);
});

test("a server that crashes and comes back: the call goes on, others can join it, and nothing is an alarm, nor is who reloads meanwhile", async ({
  server,
  person,
  expectedErrors,
}) => {
  expectedErrors.push(/WebSocket connection to .* failed/);
  const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  for (const one of [ada, ben]) await one.recordBadge();
  const connections = () => Promise.all([ada, ben].map(async (one) => (await one.configurations()).length));
  const before = await connections();
  await server.crashAndRestart();
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada"), ada.hears(), ben.hears()]);
  await cleo.open(link);
  await Promise.all([cleo.seesMoving("Ada"), cleo.seesMoving("Ben"), ada.seesMoving("Cleo")]);
  expect(await connections(), "each made one connection more, to Cleo").toEqual(before.map((count) => count + 1));
  await server.crashAndRestart();
  await cleo.page.reload();
  await Promise.all([cleo.seesMoving("Ada"), ben.seesMoving("Cleo")]);
  await beat(ada, 3);
  for (const one of [ada, ben]) expect(await one.badges(), one.name).toEqual(["encrypted"]);
});

test("who sends no heartbeat any more is marked as not answering, and nothing turns red", async ({
  server,
  middle,
  person,
}) => {
  const ada = await person("Ada");
  const ben = await person("Ben", { before: deafChannels });
  const bens = await middle();
  await ben.open(bens.lead(await ada.startCall(server.url)));
  await ada.seesMoving("Ben");
  await ada.recordBadge();
  bens.up = withhold("beat");
  await expect(ada.tile("Ben").getByText("Not answering")).toBeVisible({ timeout: 20_000 });
  bens.up = pass;
  await expect(ada.tile("Ben").getByText("Not answering")).toBeHidden();
  expect(await ada.badges()).toEqual(["encrypted"]);
});

/** This many more heartbeats have gone to the server. */
async function beat(person: ChromiumPerson, times: number): Promise<void> {
  const count = () => person.socket.filter((text) => text.startsWith('{"type":"beat"')).length;
  const before = count();
  await expect.poll(count, { timeout: 30_000 }).toBeGreaterThanOrEqual(before + times);
}

// What follows runs in pages.

/** Data channels of this page send no commits. */
function keepsCommits(): void {
  const { send } = RTCDataChannel.prototype;
  RTCDataChannel.prototype.send = function (this: RTCDataChannel, data: unknown) {
    if (data instanceof Uint8Array && data[0] !== 6) send.call(this, new Uint8Array(data));
  };
}

/** Data channels of this page send nothing. */
function deafChannels(): void {
  RTCDataChannel.prototype.send = () => undefined;
}
