import { randomBytes } from "node:crypto";
import { freePort } from "@sealcast/testbed";
import { describe, expect, onTestFinished, test } from "vitest";
import { newLink } from "../../rooms/door.cases.ts";
import { type Connected, startForTest, startMeasured } from "../../server.cases.ts";
import { redisForTest, redisMissing } from "./redis-server.cases.ts";

const patient = { timeout: 20_000 };
const RESTART = 1012;

/** Whole servers, with real sockets, over a real Redis. */
async function servers() {
  const redis = await redisForTest();
  onTestFinished(() => redis.program.stop("SIGKILL"));
  const { url } = redis;
  const config = { redis: { url, secret: randomBytes(32) } };
  const [one, two] = [await startMeasured({ config }), await startForTest({ config })];
  const health = async () => {
    const responses = await Promise.all([one, two].map(({ address }) => fetch(`http://${address}/healthz`)));
    return Promise.all(responses.map(async (response) => `${response.status} ${(await response.text()).trim()}`));
  };
  await expect.poll(health, patient).toEqual(["200 ok", "200 ok"]);
  const link = newLink();
  const inside = async (server: Pick<typeof two, "connect">): Promise<Connected> => {
    const client = await server.connect();
    await client.enter(link);
    return client;
  };
  return { redis, one, two, health, inside };
}

describe.skipIf(redisMissing)(`servers over a Redis ${redisMissing ?? ""}`, () => {
  test("share rooms; a Redis that stops ends nobody's call at the room's node, and others come again", async () => {
    const { redis, one, two, health, inside } = await servers();
    const [ada, ben, cem] = [await inside(one), await inside(one), await inside(two)];
    cem.say({ type: "relay", body: "from-two" });
    expect((await ada.next("relayed")).body).toBe("from-two");
    expect([await one.figure("sealcast_guests"), await one.figure("sealcast_redis_connected")]).toEqual([1, 1]);
    redis.halt();
    await expect.poll(health, patient).toEqual(["200 degraded", "200 degraded"]);
    expect(await cem.closed).toBe(RESTART);
    expect(await one.figure("sealcast_redis_connected")).toBe(0);
    ada.say({ type: "relay", body: "alone" });
    for (let body = ""; body !== "alone"; ) body = (await ben.next("relayed")).body;
    redis.goOn();
    await expect.poll(health, patient).toEqual(["200 ok", "200 ok"]);
    const again = await inside(two);
    ben.say({ type: "relay", body: "together" });
    expect((await again.next("relayed")).body).toBe("together");
    await redis.program.stop("SIGKILL");
    await expect.poll(health, patient).toEqual(["200 degraded", "200 degraded"]);
    await redis.program.restart();
    await expect.poll(health, patient).toEqual(["200 ok", "200 ok"]);
    const third = await inside(two);
    ada.say({ type: "relay", body: "after" });
    expect((await third.next("relayed")).body).toBe("after");
    expect(await one.figure("sealcast_rooms_lost_total")).toBe(0);
  });

  test("start where no Redis answers, and say so", async () => {
    const config = { redis: { url: `redis://127.0.0.1:${await freePort()}`, secret: randomBytes(32) } };
    const { url, logged } = await startForTest({ config });
    const response = await fetch(`${url}/healthz`);
    expect([response.status, await response.text()]).toEqual([200, "degraded\n"]);
    expect(logged.join("")).not.toContain("redis://");
  });
});
