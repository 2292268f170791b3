import type { Locator } from "@playwright/test";
import type { ChromiumPerson } from "./stage/person.ts";
import { epochIn, type Tapped } from "./stage/tap.ts";
import { expect, test } from "./stage/test.ts";

test("the creator removes someone: gone within seconds, the call has another link, and with the old one they ask to come back", {
  tag: "@journey",
}, async ({ server, person }) => {
  const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await cleo.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada"), cleo.seesMoving("Ada"), ben.seesMoving("Cleo")]);

  await ben.page.getByRole("button", { name: "People" }).click();
  await expect(ben.page.getByRole("button", { name: "Remove from call" })).toHaveCount(0);
  await ben.page.getByRole("button", { name: "Close" }).click();

  await remove(ada, "Ben");
  await expect(ben.page.getByText("You were removed from the call")).toBeVisible({ timeout: 5_000 });
  await expect(cleo.tile("Ben")).toHaveCount(0);
  await Promise.all([ada.seesMoving("Cleo"), cleo.seesMoving("Ada")]);
  expect(await cleo.inviteLink()).not.toBe(link);

  await ben.page.getByRole("button", { name: "Ask to come back" }).click();
  const removed = "Someone you removed wants to rejoin as “Ben”.";
  await knockOf(ada, removed).getByRole("button", { name: "Turn away" }).click();
  await expect(ben.page.getByText("You were not let in")).toBeVisible();

  // Anyone else with the old link only asks, too: here one who has left and forgotten the present one.
  await cleo.page.getByRole("button", { name: "Leave call" }).click();
  await expect(ada.tile("Cleo")).toHaveCount(0);
  await knockAt(cleo, link);
  await expect(cleo.page.getByText("The host knows you’re waiting")).toBeVisible();
  await knockOf(ada, "Cleo wants to join").getByRole("button", { name: "Let in" }).click();
  await Promise.all([cleo.seesMoving("Ada"), ada.seesMoving("Cleo")]);
  await expect(ada.tile("Ben")).toHaveCount(0);
  expect(await cleo.inviteLink(), "Cleo can invite others").toBe(await ada.inviteLink());
});

// Honest pages send a removed member nothing, so Ada's and Cleo's here keep up their connections and their sound.
test("a removed member that keeps its keys and its connections opens nothing sealed after; nor a newcomer before", {
  tag: "@journey",
}, async ({ server, person }) => {
  test.slow();
  const ada = await person("Ada", { before: goOnSending });
  const ben = await person("Ben", { before: stayThoughRemoved, sabotage: keepKeys });
  const cleo = await person("Cleo", { before: goOnSending });
  // Cleo never acknowledges, and every third message between members does not come to Ada.
  let isLossy = false;
  let relayed = 0;
  await loseMessages(cleo, (message, to) => isLossy && to === "server" && message.includes('"type":"relay"'));
  await loseMessages(ada, (message, to) => {
    return isLossy && to === "page" && message.includes('"type":"relayed"') && ++relayed % 3 === 0;
  });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await cleo.open(link);
  const openedBy = async (who: ChromiumPerson) => (await opening(who)).map(({ opened }) => opened);
  const receives = async (who: ChromiumPerson) => (await openedBy(who)).filter((opened) => count(opened) > 0).length;
  // Sound and picture of two others.
  await expect.poll(() => receives(ben), { timeout: 40_000 }).toBe(4);
  isLossy = true;

  const before = Math.max(...(await openedBy(ben)).flatMap((opened) => Object.keys(opened).map(Number)));
  await remove(ada, "Ben");
  // Ben goes on receiving from both: their sound at least, of the next epoch from some moment on. A picture that is sealed
  // once for several people does not reach him.
  const cameAfter = async () => (await opening(ben)).map(({ came }) => came[before + 1] ?? 0);
  const going = async () => (await cameAfter()).filter((came) => came > 0).length;
  await expect.poll(going, { timeout: 40_000 }).toBeGreaterThanOrEqual(2);
  const opened = await openedBy(ben);
  expect(opened.map((by) => by[before + 1] ?? 0)).toEqual([0, 0, 0, 0]);
  const all = async () => (await cameAfter()).reduce((sum, came) => sum + came, 0);
  const came = await all();
  await expect.poll(all, { timeout: 40_000 }).toBeGreaterThan(came + 20);
  expect(await openedBy(ben), "nobody seals for Ben any more").toEqual(opened);

  // Ada seals in this epoch before Dan comes: he is added in a later one, and may go on to another before he seals himself.
  const sealed = (await ada.tapped()).flatMap(({ frames }) => frames.map(({ header }) => epochIn(header)));
  const last = Math.max(...sealed);
  const dan = await person("Dan", { sabotage: loseFrames });
  await dan.open(await ada.inviteLink());
  const later = async () => (await openedBy(dan)).reduce((sum, by) => sum + count(by, (epoch) => epoch > last), 0);
  await expect.poll(later, { timeout: 40_000 }).toBeGreaterThan(50);
  expect((await openedBy(dan)).map((by) => count(by, (epoch) => epoch <= last)).filter((frames) => frames > 0)).toEqual(
    [],
  );
});

test("a waiting room: nobody's camera or microphone is on a connection before the creator's yes; one is let in, another turned away", {
  tag: "@journey",
}, async ({ server, person }) => {
  const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
  const link = await ada.startCall(server.url);
  await ben.page.goto(link);
  await expect(ben.page.getByLabel("Your camera")).toBeVisible();
  const playing = () => ben.page.getByLabel("Your camera").evaluate((video: HTMLVideoElement) => video.videoWidth);
  await expect.poll(playing, { message: "Ben's camera is on" }).toBeGreaterThan(0);
  const sending = () => Promise.all([ada, ben].map((one) => one.page.evaluate(tracksOnSenders)));
  // So far the call was open: a page that joined by itself would be in.
  await mode(ada, "People you approve");
  expect(await sending(), "in the lobby").toEqual([0, 0]);
  await knockAt(ben, link);
  await expect(ben.page.getByText("The host knows you’re waiting")).toBeVisible();
  await expect(knockOf(ada, "Ben wants to join")).toBeVisible();
  expect(await sending(), "before the yes").toEqual([0, 0]);
  await knockOf(ada, "Ben wants to join").getByRole("button", { name: "Let in" }).click();
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  expect(await sending(), "sound and picture, now").toEqual([2, 2]);

  await knockAt(cleo, link);
  await expect(knockOf(ada, "Cleo wants to join. You have not met this Cleo before.")).toBeVisible();
  await expect(ben.page.getByText("wants to join")).toHaveCount(0);
  await knockOf(ada, "Cleo wants to join").getByRole("button", { name: "Turn away" }).click();
  await expect(cleo.page.getByText("You were not let in")).toBeVisible();
});

test("a locked call lets nobody in, but a member who loads the page again; one whom its host makes host decides then", async ({
  server,
  person,
}) => {
  const [ada, ben, eve] = [await person("Ada"), await person("Ben"), await person("Eve")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  await mode(ada, "No one (locked)");
  for (const one of [ada, ben])
    await expect(one.page.getByRole("status", { name: "Who can join" })).toHaveText("locked");
  await knockAt(eve, link);
  await expect(eve.page.getByText("You were not let in")).toBeVisible();
  await expect(ada.tile("Eve")).toHaveCount(0);

  const address = ben.page.url();
  await ben.page.goto("about:blank");
  // The server has called Ben gone by then, and Ben's page has said goodbye: the place is kept for a minute all the same.
  await expect.poll(() => ada.socket.some((text) => text.includes('"is":"gone"'))).toBe(true);
  await expect(ada.tile("Ben").getByText("Away")).toBeVisible({ timeout: 20_000 });
  await expect(ada.badge).toHaveText("no media");
  await ben.open(address);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  await expect(ada.tile("Ben").getByText("Away")).toHaveCount(0);

  const entryOf = (one: ChromiumPerson, name: string) =>
    one.page.getByRole("dialog", { name: "People" }).getByRole("listitem", { name, exact: true });
  for (const one of [ada, ben]) await one.page.getByRole("button", { name: "People" }).click();
  await expect(entryOf(ben, "Ada").getByRole("heading")).toContainText("Host");
  await entryOf(ada, "Ben").getByRole("button", { name: "Make host" }).click();
  await expect(entryOf(ada, "Ben").getByRole("heading")).toContainText("Host");
  await ada.page.getByRole("button", { name: "Stop being host" }).click();
  await expect(entryOf(ben, "Ada").getByRole("heading")).not.toContainText("Host");
  await expect(ada.page.getByRole("radio")).toHaveCount(0);
  for (const one of [ada, ben]) await one.page.getByRole("button", { name: "Close" }).click();
  await mode(ben, "People you approve");
  await knockAt(eve, link);
  await knockOf(ben, "Eve wants to join").getByRole("button", { name: "Let in" }).click();
  await Promise.all([eve.seesMoving("Ada"), ada.seesMoving("Eve")]);

  await ben.page.getByRole("button", { name: "Leave call" }).click();
  await expect(ada.tile("Ben")).toHaveCount(0);
});

async function knockAt(person: ChromiumPerson, link: string): Promise<void> {
  // Of a page that is there already the link would change the fragment alone, and load nothing.
  await person.page.goto("about:blank");
  await person.page.goto(link);
  await person.page.getByRole("textbox", { name: "Your name" }).fill(person.name);
  await person.page.getByRole("button", { name: "Join now" }).click();
}

function knockOf(person: ChromiumPerson, words: string): Locator {
  return person.page.getByRole("paragraph").filter({ hasText: words });
}

async function remove(creator: ChromiumPerson, name: string): Promise<void> {
  await creator.page.getByRole("button", { name: "People" }).click();
  const entry = creator.page.getByRole("dialog").getByRole("listitem", { name, exact: true });
  await entry.getByRole("button", { name: "Remove from call" }).click();
  await entry.getByRole("button", { name: `Remove ${name}` }).click();
  await creator.page.getByRole("button", { name: "Close" }).click();
}

async function mode(person: ChromiumPerson, what: string): Promise<void> {
  await person.page.getByRole("button", { name: "People" }).click();
  const radio = person.page.getByRole("radio", { name: what });
  await radio.click();
  await expect(radio).toBeChecked();
  await person.page.getByRole("button", { name: "Close" }).click();
}

/** Messages between a page and the server that this is true of do not arrive. */
async function loseMessages(
  { page }: ChromiumPerson,
  isLost: (message: string, to: "server" | "page") => boolean,
): Promise<void> {
  await page.routeWebSocket(/\/signal$/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => isLost(message.toString(), "server") || server.send(message));
    server.onMessage((message) => isLost(message.toString(), "page") || socket.send(message));
  });
}

function count(frames: Record<number, number>, counts: (epoch: number) => boolean = () => true): number {
  return Object.entries(frames).reduce((sum, [epoch, some]) => sum + (counts(Number(epoch)) ? some : 0), 0);
}

async function opening(person: ChromiumPerson): Promise<Tapped[]> {
  return (await person.tapped()).filter(({ side }) => side === "open");
}

// What follows runs in pages.

function tracksOnSenders(): number {
  const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
  return connections.flatMap((connection) => connection.getSenders()).filter(({ track }) => track !== null).length;
}

/** As a relay would that goes on delivering to a removed member: no connection ends, no track leaves its sender. */
function goOnSending(): void {
  RTCPeerConnection.prototype.close = () => undefined;
  const { replaceTrack } = RTCRtpSender.prototype;
  RTCRtpSender.prototype.replaceTrack = async function (this: RTCRtpSender, track) {
    if (track !== null) await replaceTrack.call(this, track);
  };
}

/** Ignores the removal: its page hears nothing of it. */
function stayThoughRemoved(): void {
  RTCPeerConnection.prototype.close = () => undefined;
  // The browser's own class is the parent of the stage's, which keeps the workers.
  const { prototype } = Object.getPrototypeOf(Worker);
  const { set } = Object.getOwnPropertyDescriptor(prototype, "onmessage") ?? {};
  Object.defineProperty(prototype, "onmessage", {
    set(this: Worker, heard: (event: MessageEvent) => void) {
      set?.call(this, (event: MessageEvent) => event.data.type === "refused" || heard(event));
    },
  });
}

// What follows runs in media workers.

/** No epoch's keys are ever forgotten. */
function keepKeys(): void {
  const { set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage") ?? {};
  Object.defineProperty(MessagePort.prototype, "onmessage", {
    set(this: MessagePort, heard: (event: MessageEvent) => void) {
      set?.call(this, (event: MessageEvent) => event.data.type === "drop" || heard(event));
    },
  });
}

/** Every seventh frame does not come. */
function loseFrames(): void {
  globalThis.addEventListener("rtctransform", (event) => {
    const { transformer } = event as Event & { transformer: RTCRtpScriptTransformer };
    let frames = 0;
    const some = new TransformStream<RTCEncodedVideoFrame, RTCEncodedVideoFrame>({
      transform(frame, controller) {
        if (++frames % 7 > 0) controller.enqueue(frame);
      },
    });
    if (transformer.options.side !== "open") return;
    const readable = transformer.readable.pipeThrough(some);
    Object.defineProperty(transformer, "readable", { value: readable, configurable: true });
  });
}
