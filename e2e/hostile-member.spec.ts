import { flood, greet, keepHello, keepSaid, multiplyCamera } from "./stage/changed-client.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

test.setTimeout(120_000);
const SHOWN = { timeout: 15_000 };
/** Milliseconds from which on browsers call a task of the page long. */
const LONG = 50;

test("a member that describes itself 12 times a second holds up nobody's page, and loses its own connection", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const eve = await person("Eve", { before: keepSaid });
  const link = await ada.startCall(server.url);
  await eve.open(link);
  await ada.seesMoving("Eve");
  await keepLongTasks(ada);
  await flood(eve, 12);
  const closed = "The connection to Eve was closed: their app sends too much.";
  await expect(ada.page.getByText(closed)).toBeVisible({ timeout: 30_000 });
  await expect(ada.tile("Eve").getByText("Connection closed")).toBeVisible();
  const tasks = await longTasks(ada);
  expect(Math.max(0, ...tasks.during)).toBeLessThanOrEqual(Math.max(LONG, 2 * Math.max(0, ...tasks.before)));

  await ben.open(link);
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada"), ben.seesMoving("Eve")]);
  await expect(ben.page.getByText(closed)).toBeHidden();
  expect(await ada.encryptionDetails()).toContain("1 × a connection that was closed since its other end sent too much");
  await expect(ada.badge).toHaveText("encrypted");
});

test("a member that offers more lines of its camera makes no second encoder", { tag: "@journey" }, async ({
  server,
  person,
}) => {
  const ada = await person("Ada");
  const eve = await person("Eve", { before: keepSaid });
  await ada.open(await eve.startCall(server.url));
  await Promise.all([ada.seesMoving("Eve"), eve.seesMoving("Ada")]);
  await keepMostVideos(ada);
  await multiplyCamera(eve);
  const closed = "The connection to Eve was closed: their app sends what no Sealcast app does.";
  await expect(ada.page.getByText(closed)).toBeVisible(SHOWN);
  expect(await mostVideos(ada)).toBe(1);
});

test("a viewer that asks for connection after connection loses theirs, and the other watches on", async ({
  server,
  person,
}) => {
  const host = await person("Host");
  const link = await host.goLive(server.url);
  const [vera, eve] = [await person("Vera"), await person("Eve", { before: keepHello })];
  for (const viewer of [vera, eve]) {
    await viewer.page.goto(link);
    await viewer.seesMoving("the stream");
  }
  await greet(eve, 12);
  await expect(host.page.getByRole("listitem", { name: "Viewer 2" })).toContainText("their app sends too much", SHOWN);
  await expect(host.page.getByRole("listitem", { name: "Viewer 1" })).toContainText("watching");
  await vera.seesMoving("the stream");
});

/** Keeps the long tasks of the page from now on, and those of the seconds before. */
function keepLongTasks({ page }: ChromiumPerson): Promise<void> {
  return page.evaluate(() => {
    const tasks: { at: number; duration: number }[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) tasks.push({ at: startTime, duration });
    });
    observer.observe({ type: "longtask", buffered: true });
    Object.assign(globalThis, { tasks, since: performance.now() });
  });
}

/** Milliseconds that each took, in the seconds before `keepLongTasks` and after. */
function longTasks({ page }: ChromiumPerson): Promise<{ before: number[]; during: number[] }> {
  return page.evaluate(() => {
    const { tasks, since } = globalThis as unknown as { tasks: { at: number; duration: number }[]; since: number };
    const between = (from: number, to: number) =>
      tasks.flatMap(({ at, duration }) => (at >= from && at < to ? [duration] : []));
    return { before: between(since - 10_000, since), during: between(since, Number.POSITIVE_INFINITY) };
  });
}

/** Counts, whenever transceivers change, the most videos that the page's connections could encode at a time. */
function keepMostVideos({ page }: ChromiumPerson): Promise<void> {
  return page.evaluate(() => {
    const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
    const videos = () =>
      connections.flatMap((connection) => connection.getSenders().filter(({ track }) => track?.kind === "video"))
        .length;
    const kept = { most: videos() };
    for (const connection of connections)
      for (const event of ["signalingstatechange", "track"])
        connection.addEventListener(event, () => {
          kept.most = Math.max(kept.most, videos());
        });
    Object.assign(globalThis, { kept });
  });
}

function mostVideos({ page }: ChromiumPerson): Promise<number> {
  return page.evaluate(() => (globalThis as unknown as { kept: { most: number } }).kept.most);
}
