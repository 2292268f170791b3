import { expect, test } from "vitest";
import { newLink } from "./rooms/door.cases.ts";
import { startMeasured } from "./server.cases.ts";
import { turnCredentials } from "./turn.ts";

const HOUR = 3_600;
const urls = ["turn:turn.example.org:3478", "turns:turn.example.org:443?transport=tcp"];

// printf %s USERNAME | openssl dgst -sha1 -hmac SECRET -binary | base64
test.each([
  ["north", 1_433_895_918, "506234715", "JH5EJRTgfVjuF3kNfQoGeRy+NYs="],
  ["0123456789abcdef0123456789abcdef", 1_795_543_200, "A".repeat(22), "8ilhGCk7V9YGy4MOFFjLIZXJ7Bk="],
])("credentials under %s until %i are those that coturn computes", (secret, expiry, name, credential) => {
  const now = 1_000 * (expiry - HOUR) + 999;
  const username = `${expiry}:${name}`;
  expect(turnCredentials({ urls, secret }, now, name)).toEqual({
    ...{ type: "turn", urls, username, credential },
    validFor: HOUR,
  });
});

test("each has a name of its own, which says nothing of anyone", () => {
  const given = Array.from({ length: 50 }, () => turnCredentials({ urls, secret: "s" }, 0).username);
  expect(new Set(given).size).toBe(50);
  for (const name of given) expect(name).toMatch(/^3600:[A-Za-z0-9_-]{22}$/);
});

test("a member asks the server for them, and the secret is nowhere", async () => {
  const secret = "a secret of at least 32 characters";
  const { connect, figure, logged, url, read } = await startMeasured({ config: { turn: { urls, secret } } });
  const alice = await connect();
  expect((await alice.enter(newLink())).turn).toBe(true);
  alice.say({ type: "turn" });
  const given = await alice.next("turn");
  const left = Number(given.username.split(":")[0]) - Date.now() / 1_000;
  expect([given.urls, given.validFor]).toEqual([urls, HOUR]);
  expect(left, "seconds until they expire").toBeGreaterThan(HOUR - 60);
  expect(left).toBeLessThanOrEqual(HOUR);
  expect(await figure("sealcast_turn_credentials_total")).toBe(1);
  const said = [...logged, await read(), JSON.stringify(alice.received), await (await fetch(url)).text()].join("");
  expect(said).not.toContain(secret);
  expect(said).not.toContain(given.username);
});
