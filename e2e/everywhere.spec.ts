import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { pressControl, Server } from "@sealcast/testbed";
import { expectAccessible, STILL } from "./stage/accessible.ts";
import { SHOWN } from "./stage/expect.ts";
import { expect, test } from "./stage/test.ts";

const NARROW = { width: 320, height: 640 };
/** From the narrowest phone to the widest screen, a phone on its side among them. */
const SCREENS = [
  NARROW,
  { width: 390, height: 844 },
  { width: 740, height: 360 },
  { width: 1280, height: 800 },
  { width: 3840, height: 2160 },
];
const LANGUAGES = { en: "ltr", de: "ltr", ar: "rtl" } as const;

/** Fails where a person would have to scroll sideways. */
async function expectNoScrollSideways(page: Page, where: string): Promise<void> {
  const [content, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  expect(content, where).toBeLessThanOrEqual(screen ?? 0);
}

async function expectLanguage(page: Page, lang: keyof typeof LANGUAGES): Promise<void> {
  await expect(page.locator("html")).toHaveAttribute("lang", lang);
  await expect(page.locator("html")).toHaveAttribute("dir", LANGUAGES[lang]);
}

test("two people meet in Arabic, from right to left, on the narrowest screen, without an accessibility fault", async ({
  server,
  person,
}) => {
  const context = { ...STILL, locale: "ar-EG", viewport: NARROW };
  const [ada, ben] = [await person("أمل", { context }), await person("بدر", { context })];
  await ada.page.goto(server.url);
  await expectLanguage(ada.page, "ar");
  await expectAccessible(ada.page);
  await expectNoScrollSideways(ada.page, "home");
  await ada.page.getByRole("button", { name: "بدء مكالمة" }).click();
  await expect(ada.page.getByRole("combobox", { name: "الكاميرا" })).toBeVisible();
  await expectAccessible(ada.page);
  await expectNoScrollSideways(ada.page, "lobby");
  const link = ada.page.url();
  await ben.page.goto(link);
  for (const { page, name } of [ada, ben]) {
    await page.getByRole("textbox", { name: "اسمك" }).fill(name);
    await page.getByRole("button", { name: "الانضمام الآن" }).click();
  }
  await expect(ada.page.getByRole("group", { name: "بدر", exact: true })).toBeVisible();
  for (const [one, other] of [
    [ada, ben],
    [ben, ada],
  ] as const) {
    const video = one.page.getByRole("group", { name: other.name, exact: true }).locator("video");
    await expect.poll(() => video.evaluate(pictures), SHOWN).toBeGreaterThan(3);
  }
  await ben.page.getByRole("button", { name: "الدردشة", exact: true }).click();
  await ben.page.getByRole("textbox").fill("مرحبا");
  await ben.page.keyboard.press("Enter");
  await expectAccessible(ben.page);
  await expectNoScrollSideways(ben.page, "chat");
  await pressControl(ada.page, "الأشخاص", "المزيد");
  const digits = ada.page.getByRole("listitem", { name: "بدر", exact: true }).getByRole("definition");
  await expect(digits).toContainText(/\d{5}/, { timeout: 30_000 });
  expect(await digits.evaluate((element) => getComputedStyle(element).direction)).toBe("ltr");
  await expectAccessible(ada.page);
  await expectNoScrollSideways(ada.page, "call");
});

/** Runs in the page. */
function pictures(video: Element): number {
  return video instanceof HTMLVideoElement ? video.getVideoPlaybackQuality().totalVideoFrames : 0;
}

test("a language is taken from the browser, changed during a call, which goes on, and kept", async ({
  server,
  person,
}) => {
  const ada = await person("Ada", { context: { locale: "de-AT" } });
  await ada.page.goto(server.url);
  await expectLanguage(ada.page, "de");
  await ada.page.getByRole("button", { name: "Anruf starten" }).click();
  await ada.page.getByRole("textbox", { name: "Name" }).fill("Ada");
  await ada.page.getByRole("button", { name: "Jetzt teilnehmen" }).click();
  await expect(ada.page.getByRole("button", { name: "Anruf verlassen" })).toBeVisible();
  const sockets: string[] = [];
  ada.page.on("websocket", (socket) => sockets.push(socket.url()));
  await pressControl(ada.page, "Geräte", "Mehr");
  await ada.page.getByRole("combobox", { name: "Sprache" }).selectOption("ar");
  await expectLanguage(ada.page, "ar");
  await ada.page.getByRole("button", { name: "إغلاق" }).click();
  await expect(ada.page.getByRole("button", { name: "مغادرة المكالمة" })).toBeVisible();
  expect(sockets, "the call was not opened again").toEqual([]);
  await ada.page.getByRole("button", { name: "مغادرة المكالمة" }).click();
  await ada.page.goto(server.url);
  await expectLanguage(ada.page, "ar");
  const asked = ada.requests
    .filter((url) => /\/assets\/(en|de|ar)-/.test(url))
    .map((url) => /assets\/(\w+)-/.exec(url)?.[1]);
  // Words of one language come in several files, as they are shown.
  const inTurn = asked.filter((language, at) => language !== asked[at - 1]);
  expect(inTurn, "one language at a time").toEqual(["de", "ar"]);
});

test("an invite link that is pasted opens its call, one that is cut short says so, and none of it is sent", {
  tag: "@journey",
}, async ({ server, page }) => {
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url() + (request.postData() ?? "")));
  await page.goto(server.url);
  await page.getByRole("button", { name: "Start a call" }).click();
  await expect(page.getByRole("button", { name: "Join now" })).toBeVisible();
  const link = page.url();
  await page.goto(server.url);
  const field = page.getByRole("textbox", { name: "Have an invite link?" });
  await field.fill(link.slice(0, -4));
  await page.getByRole("button", { name: "Open link" }).click();
  await expect(page.getByText("This link is damaged or incomplete.")).toBeVisible();
  await field.fill(`Come to my call: ${link}.`);
  await field.press("Enter");
  await expect(page.getByRole("button", { name: "Join now" })).toBeVisible();
  expect(page.url()).toBe(link);
  const [, secret = ""] = link.split("#");
  expect(requests.filter((request) => request.includes(secret.slice(0, -4)))).toEqual([]);
});

test("no page has to be scrolled sideways, from the narrowest phone to 4K, in any language", async ({
  server,
  page,
}) => {
  await page.goto(server.url);
  for (const [lang, dir] of Object.entries(LANGUAGES)) {
    await page.evaluate((chosen) => localStorage.setItem("sealcast.language", chosen), lang);
    for (const path of [
      "/",
      "/help",
      "/privacy",
      "/nothing",
      "/dashboard",
      "/vault",
      "/call/aaaaaaaaaaaaaaaaaaaaaa#b",
    ]) {
      await page.goto(server.url + path);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expect(page.locator("html")).toHaveAttribute("dir", dir);
      for (const screen of SCREENS) {
        await page.setViewportSize(screen);
        await expectNoScrollSideways(page, `${path} in ${lang} at ${screen.width}`);
      }
    }
  }
});

test("pages of help and privacy, of a wrong address and of a call that is full have no accessibility fault", async ({
  server,
  page,
}) => {
  await page.emulateMedia(STILL);
  for (const [path, title] of [
    ["/help", "Help"],
    ["/privacy", "Privacy"],
    ["/nothing", "There is no such page"],
  ] as const) {
    const response = await page.goto(server.url + path);
    expect(response?.status()).toBe(path === "/nothing" ? 404 : 200);
    await expect(page.getByRole("heading", { name: title, level: 1 })).toBeFocused();
    await expectAccessible(page);
  }
  await page.routeWebSocket(/\/signal$/, (socket) =>
    socket.send(JSON.stringify({ type: "fault", code: "room-full", message: "the room is full" })),
  );
  await page.goto(server.url);
  await page.getByRole("button", { name: "Start a call" }).click();
  await page.getByRole("button", { name: "Join now" }).click();
  await expect(page.getByRole("heading", { name: "This call is full" })).toBeVisible();
  await expectAccessible(page);
});

test("without a connection the page opens and says so, goes on when it is back, and has kept no link", async ({
  server,
  page,
}) => {
  await page.goto(server.url);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.getByRole("button", { name: "Start a call" }).click();
  await expect(page.getByRole("button", { name: "Join now" })).toBeVisible();
  const link = page.url();
  for (const path of ["/help", "/vault", "/"]) await page.goto(server.url + path);
  await page.context().setOffline(true);
  await page.reload();
  await expect(page.getByText("You are offline. Calls and streams need a connection.")).toBeVisible();
  await page.emulateMedia(STILL);
  await expectAccessible(page);
  await page.goto(link);
  await expect(page.getByRole("heading", { name: "You are offline" })).toBeFocused();
  await expectAccessible(page);
  await page.context().setOffline(false);
  await expect(page.getByRole("button", { name: "Join now" })).toBeVisible();
  const kept = await page.evaluate(keptAddresses);
  expect(kept).toContain("/");
  const shell = /^\/$|^\/assets\/(index|en|de|ar)-[\w-]+\.(js|css)$|^\/(favicon\.svg|manifest\.webmanifest)$/;
  expect(kept.filter((path) => !shell.test(path))).toEqual([]);
});

/** Runs in the page: what it finds in all caches. */
async function keptAddresses(): Promise<string[]> {
  const keys = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
  return keys.flat().map(({ url }) => url.slice(location.origin.length));
}

test("a new build waits until the pages of the former are closed, and a call on one of them goes on", async ({
  page,
}) => {
  const next = await builtAgain();
  const server = await Server.start();
  await page.goto(server.url);
  await page.evaluate(() => navigator.serviceWorker.ready);
  const former = await page.evaluate(() => caches.keys());
  await page.getByRole("button", { name: "Start a call" }).click();
  await page.getByRole("button", { name: "Join now" }).click();
  await expect(page.getByRole("button", { name: "Leave call" })).toBeVisible();
  await server.stop();
  const updated = await Server.start({ port: server.port, environment: { CLIENT_DIR: next } });
  const other = await page.context().newPage();
  await other.goto(updated.url);
  await expect
    .poll(() => other.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting != null))
    .toBe(true);
  await expect(page.getByRole("button", { name: "Leave call" })).toBeVisible();
  await expect(page.getByText("Reconnecting to the server.")).toHaveCount(0);
  expect(await other.evaluate(() => caches.keys())).toEqual(expect.arrayContaining(former));
  const last = await page.context().newPage();
  for (const closed of [page, other]) await closed.close();
  await expect.poll(() => keptAfterVisit(last, updated.url)).toEqual(["shell another"]);
  await updated.stop();
  await rm(next, { recursive: true });
});

/** The names of all caches, in a page that nothing was open before. */
async function keptAfterVisit(page: Page, home: string): Promise<string[]> {
  await page.goto("about:blank");
  await page.goto(home);
  return page.evaluate(() => caches.keys());
}

/** The client with another service worker, as a later build has. Gives its folder. */
async function builtAgain(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sealcast-later-"));
  await cp(fileURLToPath(new URL("../apps/web/dist", import.meta.url)), folder, { recursive: true });
  const worker = join(folder, "service-worker.js");
  const source = await readFile(worker, "utf8");
  await writeFile(worker, source.replace(/shell [\da-f]{64}/, "shell another"));
  for (const packed of ["br", "gz"]) await rm(`${worker}.${packed}`);
  return folder;
}

test("the app can be installed", async ({ server, person }) => {
  const profile = await mkdtemp(join(tmpdir(), "sealcast-installed-"));
  const ada = await person("Ada", { profile });
  await ada.page.goto(server.url);
  const devtools = await ada.context.newCDPSession(ada.page);
  const { errors, data } = await devtools.send("Page.getAppManifest");
  expect(errors).toEqual([]);
  expect(JSON.parse(data ?? "")).toMatchObject({ name: "Sealcast", display: "standalone" });
  expect((await devtools.send("Page.getInstallabilityErrors")).installabilityErrors).toEqual([]);
  await test.step("its shortcut starts a call", async () => {
    await ada.page.goto(`${server.url}/?start=call`);
    await expect(ada.page.getByRole("button", { name: "Join now" })).toBeVisible();
    expect(ada.page.url()).toMatch(/\/call\/[\w-]{22}#[\w-]{43}$/);
  });
  await ada.context.close();
  await rm(profile, { recursive: true });
});
