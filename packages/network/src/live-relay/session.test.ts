import { ManualClock, milli } from "@sealcast/time";
import { beforeEach, expect, test, vi } from "vitest";

/** Tokens with which relays were tried, and whether they take one. */
const relays = vi.hoisted(() => ({ tried: [] as (string | null)[], areThere: false }));

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
      if (!relays.areThere) throw new Error("nobody is there");
      return { url, transport: "websocket", closed: new Promise(() => undefined), close: () => undefined };
    },
  },
}));

import { type LiveRelayAccess, LiveRelaySession, type LiveRelayState } from "./session.ts";

const VALID_FOR = 600;

beforeEach(() => {
  relays.tried.length = 0;
  relays.areThere = false;
});

function session(...given: (string | null)[]) {
  const clock = new ManualClock();
  const states: LiveRelayState[] = [];
  const access = async (): Promise<LiveRelayAccess | null> => {
    const token = given.shift() ?? null;
    return token === null ? null : { urls: ["https://relay"], path: "/path", name: "name", token, validFor: VALID_FOR };
  };
  const handler = { opened: () => undefined, lost: () => undefined };
  const one = new LiveRelaySession({ access, state: (state) => states.push(state), clock }, handler);
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
