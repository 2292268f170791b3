import { randomBytes } from "node:crypto";
import type { Page } from "@playwright/test";
import { Server, startRedis } from "@sealcast/testbed";
import { Balancer } from "./stage/balancer.ts";
import { expect, test } from "./stage/test.ts";

async function write(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

const said = (page: Page, text: string) => page.getByRole("log", { name: "Messages" }).getByText(text);

test("two people at two servers that share rooms: the one that has the room is killed, and then Redis: the call goes on, and what they write passes", async ({
  person,
  expectedErrors,
}) => {
  expectedErrors.push(/WebSocket connection to .* failed/);
  const redis = await startRedis();
  if (redis === null) return test.skip(true, "no redis-server");
  const environment = { ...redis.environment, REDIS_SECRET: randomBytes(32).toString("hex"), LOG_LEVEL: "debug" };
  const nodes = [await Server.start({ environment }), await Server.start({ environment })];
  const balancer = await Balancer.before(...nodes.map(({ port }) => port));
  try {
    const [ada, ben] = [await person("Ada"), await person("Ben")];
    await ben.open(await ada.startCall(balancer.url));
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    for (const one of [ada, ben]) {
      await one.page.getByRole("button", { name: /^Chat/ }).click();
      await one.recordBadge();
    }
    await write(ben.page, "Over two servers");
    await expect(said(ada.page, "Over two servers")).toBeVisible();
    const since = performance.now();
    await nodes[0]?.stop("SIGKILL");
    await write(ben.page, "Over the one that is left");
    await expect(said(ada.page, "Over the one that is left")).toBeVisible({ timeout: 30_000 });
    const seconds = ((performance.now() - since) / 1_000).toFixed(1);
    test.info().annotations.push({ type: "latency", description: `written and read ${seconds} s after the kill` });
    await redis.program.stop("SIGKILL");
    await write(ada.page, "Without Redis");
    await expect(said(ben.page, "Without Redis")).toBeVisible({ timeout: 30_000 });
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada"), ada.hears(), ben.hears()]);
    for (const one of [ada, ben]) expect(await one.badges(), one.name).toEqual(["encrypted"]);
  } finally {
    balancer.close();
    for (const node of nodes) await node.stop("SIGKILL");
    await redis.program.stop();
  }
});
