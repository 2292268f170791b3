import { flood, greet, keepHello, keepSaid, multiplyCamera, tellHost, tellViewer } from "./stage/changed-client.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, type Stage, test } from "./stage/test.ts";

const SHOWN = { timeout: 15_000 };
/** Milliseconds from which on browsers call a task of the page long. */
const LONG = 50;
/** Of answers that a viewer's page takes at once (PROTOCOL.md section 9). */
const PAGE_ANSWERS = 32;

test("a member that describes itself 12 times a second holds up nobody's page, and loses its own connection", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const eve = await person("Eve", { before: keepSaid });
  // Who was there first offers, and Ada's page works on that.
  const link = await eve.startCall(server.url);
  await ada.open(link);
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
  const { host, vera, eve } = await streamTwoWatch(server.url, person);
  await greet(eve, 12);
  await expect(host.page.getByRole("listitem", { name: "Viewer 2" })).toContainText("their app sends too much", SHOWN);
  await expect(host.page.getByRole("listitem", { name: "Viewer 1" })).toContainText("watching");
  await vera.seesMoving("the stream");
});

test("a viewer whose names and questions never end, or reach out of their place, is bounded and harms no other", async ({
  server,
  person,
}) => {
  const { host, vera, eve } = await streamTwoWatch(server.url, person);
  const entry = host.page.getByRole("listitem", { name: "Viewer 2" });
  await tellHost(eve, [{ type: "name", name: `Viewer 1\u202e\n${"x".repeat(60)}` }]);
  await expect(entry).toContainText(`Viewer 2 · Viewer 1 ${"x".repeat(31)}…`, SHOWN);
  const wrong = ["x".repeat(321), null, 7].map((name) => ({ type: "name", name }));
  await tellHost(eve, [...wrong, ...Array.from({ length: 20 }, (_, at) => ({ type: "name", name: `Eve ${at}` }))]);
  const question = (text: unknown) => ({ type: "question", text });
  // A tower of marks, and a word that is longer than any line.
  const heavy = (at: number) => `${at}${"\u0336".repeat(200)} ${"y".repeat(200)}`;
  const asked = Array.from({ length: 12 }, (_, at) => question(heavy(at)));
  await tellHost(eve, [...["", "x".repeat(501), ["why"]].map(question), ...asked, { type: "answers", answers: [] }]);
  const questions = host.page.getByRole("region", { name: "Questions" });
  await expect(questions.getByRole("listitem")).toHaveCount(5, SHOWN);
  await expect(entry).toContainText(/Viewer 2 · Eve [0-4] ?watching/);
  for (const many of ["a name too many from one viewer", "a question too many from one viewer"])
    await expect.poll(() => host.encryptionDetails(), SHOWN).toContain(many);
  expect(await host.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await vera.page.getByRole("button", { name: "Ask" }).click();
  await vera.page.getByRole("textbox", { name: "Your question" }).fill("Do you hear me?");
  await vera.page.getByRole("button", { name: "Send question" }).click();
  await expect(questions.getByRole("listitem")).toHaveCount(6, SHOWN);
  for (const viewer of [vera, eve]) await viewer.seesMoving("the stream");
});

test("a host whose titles and answers never end, or reach out of their place, is bounded at the viewer", async ({
  server,
  person,
}) => {
  const host = await person("Host", { before: keepSaid });
  const link = await host.goLive(server.url);
  const viewer = await person("Viewer");
  await viewer.page.goto(link);
  await viewer.seesMoving("the stream");
  await tellViewer(host, [{ type: "about", title: `Tides\u202e\n${"x".repeat(300)}`, host: "\u200bAnn" }]);
  await expect(viewer.page.getByRole("heading", { level: 1 })).toHaveText(`Tides ${"x".repeat(74)}…`, SHOWN);
  await expect(viewer.page.getByText("Host: Ann")).toBeVisible();
  const answer = (at: number) => ({ id: `${at}`.padStart(22, "x"), question: "q", answer: `${at} ${"y".repeat(200)}` });
  const wrong = [{ type: "answer", answer: { ...answer(99), name: "Ann" } }];
  await tellViewer(host, [
    ...wrong,
    ...Array.from({ length: 40 }, (_, at) => ({ type: "answer", answer: answer(at) })),
  ]);
  const log = viewer.page.getByRole("log", { name: "Answers from the host" });
  const shown = () => log.getByText("You asked: q").count();
  await expect.poll(shown, SHOWN).toBeGreaterThanOrEqual(PAGE_ANSWERS);
  await expect.poll(() => viewer.encryptionDetails(), SHOWN).toContain("an answer too many from the host");
  expect(await shown()).toBeLessThan(40);
  expect(await viewer.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await viewer.seesMoving("the stream");
});

/** A host whose stream is seen by Vera, and by Eve, whose app is changed. */
async function streamTwoWatch(url: string, person: Stage["person"]) {
  const host = await person("Host");
  const link = await host.goLive(url);
  const [vera, eve] = [await person("Vera"), await person("Eve", { before: keepHello })];
  for (const viewer of [vera, eve]) {
    await viewer.page.goto(link);
    await viewer.seesMoving("the stream");
  }
  return { host, vera, eve };
}

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
