import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, test, vi } from "vitest";

/** Tokens with which relays were tried, which these were, and whether they take one. */
const relays = vi.hoisted(() => ({ tried: [] as (string | null)[], hosts: [] as string[], areThere: false }));

vi.mock("@moq/qmux", () => ({
  default: class {
    readonly ready = Promise.resolve();
    close(): void {}
  },
}));
vi.mock("@moq/net", () => ({
  Connection: {
    connect: async (url: URL) => {
      relays.tried.push(url.searchParams.get("jwt"));
      relays.hosts.push(url.hostname);
      if (!relays.areThere) throw new Error("nobody is there");
      return { url, transport: "websocket", closed: new Promise(() => undefined), close: () => undefined };
    },
  },
}));

import { type LiveRelayAccess, LiveRelaySession, type LiveRelayState } from "./session.ts";

const VALID_FOR = 600;

beforeEach(() => {
  relays.tried.length = 0;
  relays.hosts.length = 0;
  relays.areThere = false;
});

function session(...given: (string | null)[]) {
  return sessionAt(["https://relay"], 0, given);
}

function sessionAt(urls: string[], begin: number, given: (string | null)[]) {
  const clock = new ManualClock();
  const states: LiveRelayState[] = [];
  const access = async (): Promise<LiveRelayAccess | null> => {
    const token = given.shift() ?? null;
    return token === null ? null : { urls, path: "/path", name: "name", token, validFor: VALID_FOR };
  };
  const handler = { opened: () => undefined, lost: () => undefined };
  const one = new LiveRelaySession({ access, state: (state) => states.push(state), begin, clock }, handler);
  /** A second after the other, with what then goes on by itself. */
  const wait = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(milli(1_000));
      await new Promise<void>((done) => void setImmediate(done));
    }
  };
  return { one, states, wait };
}

test("while a relay is away and the server gives no other token, the one that there is does, for as long as it holds", async () => {
  const { one, states, wait } = session("first");
  await wait(60);
  expect(relays.tried.length).toBeGreaterThan(3);
  expect(new Set(relays.tried)).toEqual(new Set(["first"]));
  await wait(VALID_FOR);
  const { length } = relays.tried;
  await wait(300);
  expect(relays.tried.length, "it has ended").toBe(length);
  expect(states.map(({ is }) => is)).not.toContain("connected");
  one.close();
});

test("one that is given after a round without success takes its place, and the relay that is back is found", async () => {
  const { one, states, wait } = session("first", "second", null, "");
  await wait(60);
  expect(new Set(relays.tried)).toEqual(new Set(["first", "second"]));
  expect(relays.tried.at(-1)).toBe("second");
  relays.areThere = true;
  await wait(60);
  expect(states.at(-1)).toEqual({ is: "connected", url: "https://relay", transport: "websocket" });
  one.close();
});

test("a relay that is left, and is there, is followed by the next one of the list, whichever the first was", async () => {
  relays.areThere = true;
  const { one, wait } = sessionAt(["https://a", "https://b", "https://c"], 4, ["token"]);
  await wait(6);
  for (let times = 0; times < 3; times++) {
    one.leave();
    await wait(6);
  }
  expect(relays.hosts).toEqual(["b", "c", "a", "b"]);
  one.close();
});
