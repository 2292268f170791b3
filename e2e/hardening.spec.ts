import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { Page } from "@playwright/test";
import { expect, test } from "./stage/test.ts";

/** What `npm run build` says it built. */
interface Build {
  hash: string;
  files: Record<string, string>;
}

async function buildOf(url: string): Promise<Build> {
  return (await (await fetch(`${url}/build.json`)).json()) as Build;
}

/** The built script whose name begins so. */
async function built(url: string, name: string): Promise<string> {
  const { files } = await buildOf(url);
  const path = Object.keys(files).find((file) => file.startsWith(`/assets/${name}-`) && file.endsWith(".js"));
  if (path === undefined) throw new Error(`nothing was built that is called ${name}`);
  return path;
}

/** From now on this file comes with a comment at its end. */
async function alter(page: Page, path: string): Promise<void> {
  await page.route(`**${path}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${await response.text()}\n//` });
  });
}

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");

test("what is served is what the build says it is", { tag: "@journey" }, async ({ server }) => {
  const { hash, files } = await buildOf(server.url);
  expect(Object.keys(files)).toContain("/index.html");
  for (const [path, sum] of Object.entries(files)) {
    const bytes = new Uint8Array(await (await fetch(server.url + path)).arrayBuffer());
    expect([path, sha256(bytes)]).toEqual([path, sum]);
  }
  const lines = Object.entries(files).map(([path, sum]) => `${sum}  .${path}\n`);
  expect(sha256(lines.join(""))).toBe(hash);
});

test("the page's first script runs only as it was built", { tag: "@journey" }, async ({ server, page }) => {
  const [, first] = /<script [^>]*src="([^"]+)"/.exec(await (await fetch(server.url)).text()) ?? [];
  if (first === undefined) throw new Error("the page has no script");
  await alter(page, first);
  const refused = page.waitForEvent("console", (message) => message.text().includes("integrity"));
  await page.goto(server.url);
  await refused;
  await expect(page.locator("#root")).toBeEmpty();
});

test("a script that is loaded later runs only as it was built", { tag: "@journey" }, async ({
  server,
  page,
  browser,
}) => {
  const path = await built(server.url, "qr");
  const load = (where: Page) => where.evaluate((url) => import(url).then(() => "loaded", String), path);
  await page.goto(server.url);
  expect(await load(page)).toBe("loaded");
  const other = await browser.newPage();
  await alter(other, path);
  await other.goto(server.url);
  expect(await load(other)).toContain("Failed to fetch");
  await test.step("a page whose script does not load says so", async () => {
    await alter(other, await built(server.url, "host-page"));
    await other.getByRole("button", { name: "Go live" }).click();
    await expect(other.getByRole("heading", { name: "This page could not be shown" })).toBeFocused();
    await expect(other.getByRole("button", { name: "Load again" })).toBeVisible();
  });
  await other.close();
});

test("a script that no hash covers does not run, not even one of ours", { tag: "@journey" }, async ({
  server,
  page,
}) => {
  const path = await built(server.url, "composer.worker");
  await page.goto(server.url);
  expect(await page.evaluate((url) => import(url).then(() => "loaded", String), path)).toContain("Failed to fetch");
});

test("another site's page has nothing of ours in a frame", { tag: "@journey" }, async ({ server, page }) => {
  const elsewhere = createServer((_, response) => response.end(`<iframe src="${server.url}"></iframe>`));
  await once(elsewhere.listen(0, "127.0.0.1"), "listening");
  const address = elsewhere.address();
  if (address === null || typeof address === "string") throw new Error("No free port was given.");
  await page.goto(`http://127.0.0.1:${address.port}`);
  await expect.poll(() => page.frames()[1]?.url()).toBe("chrome-error://chromewebdata/");
  elsewhere.close();
});

/**
 * What a script that got into the page may try, and which directive of its policy stops it. In tasks of their own, since
 * the browser exempts what a test evaluates.
 */
const plants: [what: string, directive: string, plant: () => void][] = [
  [
    "markup with a handler in it",
    "require-trusted-types-for",
    () => void setTimeout(() => Object.assign(document.body, { innerHTML: "<img src=x onerror=alert(1)>" })),
  ],
  [
    "an inline script",
    "require-trusted-types-for",
    () => void setTimeout(() => Object.assign(document.createElement("script"), { textContent: "alert(1)" })),
  ],
  ["text that is run", "require-trusted-types-for", () => void setTimeout(() => new Function("alert(1)")())],
  ["a worker of its own", "require-trusted-types-for", () => void setTimeout(() => new Worker("/favicon.svg"))],
  [
    "a policy of its own",
    "trusted-types",
    () => void setTimeout(() => Reflect.get(window, "trustedTypes").createPolicy("planted", {})),
  ],
  [
    "a script from elsewhere",
    "script-src-elem",
    () => void setTimeout(() => import(["http://127.0.0.1:1", "planted.js"].join("/")).catch(() => undefined)),
  ],
  [
    "a picture from elsewhere",
    "img-src",
    () => void setTimeout(() => Object.assign(new Image(), { src: "http://127.0.0.1:1/planted.png" })),
  ],
  [
    "a request to elsewhere",
    "connect-src",
    () => void setTimeout(() => fetch("http://127.0.0.1:1/planted").catch(() => undefined)),
  ],
  ["a socket to elsewhere", "connect-src", () => void setTimeout(() => new WebSocket("ws://127.0.0.1:1/planted"))],
  [
    "styles of its own",
    "style-src-elem",
    () =>
      void setTimeout(() =>
        document.head.append(Object.assign(document.createElement("style"), { textContent: "a{}" })),
      ),
  ],
  [
    "a frame",
    "frame-src",
    () =>
      void setTimeout(() =>
        document.body.append(Object.assign(document.createElement("iframe"), { src: "http://127.0.0.1:1" })),
      ),
  ],
  [
    "a form that leads away",
    "form-action",
    () =>
      void setTimeout(() => {
        const form = Object.assign(document.createElement("form"), { action: "http://127.0.0.1:1/planted" });
        document.body.append(form);
        form.submit();
      }),
  ],
];

test("what is planted in the page is stopped", { tag: "@journey" }, async ({ server, page }) => {
  for (const [what, directive, plant] of plants) {
    await page.goto(server.url);
    const stopped = page.evaluate(
      () =>
        new Promise((done) => {
          document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => done(effectiveDirective), {
            once: true,
          });
        }),
    );
    await page.evaluate(plant);
    expect(await stopped, what).toBe(directive);
  }
});
