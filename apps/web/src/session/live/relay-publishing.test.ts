import type { LiveRelayAccess } from "@sealcast/network/live-relay-messages";
import { ManualClock, milli } from "@sealcast/time";
import { expect, test, vi } from "vitest";

/** A worker that takes the stream to relays. */
interface Made {
  readonly ask: () => void;
  readonly tokens: string[];
}

const made = vi.hoisted(() => [] as Made[]);
vi.mock("./relay-worker.ts", () => ({
  SIGNATURES: "signatures",
  RelayWorker: class {
    readonly #tokens: string[] = [];
    constructor(_first: object, { ask }: Pick<Made, "ask">) {
      made.push({ ask, tokens: this.#tokens });
    }
    given({ token, validFor }: LiveRelayAccess): void {
      this.#tokens.push(`${token} for ${validFor}`);
    }
    post(): void {}
    close(): void {}
  },
}));
vi.mock("@sealcast/media", async (original) => ({ ...(await original<object>()), canPublish: () => true }));

import { Lifetime } from "../lifetime.ts";
import { RelayPublishing } from "./relay-publishing.ts";

test("a way over relays that opens again begins with what the server gave, as long as it holds; one that is refused is asked for once more", async () => {
  const clock = new ManualClock();
  const asked = vi.fn();
  const nothing = () => undefined;
  const publication = { open: nothing, close: nothing, hear: nothing };
  const media = { life: new Lifetime(clock), pool: { publication } } as never;
  const relay = new RelayPublishing({ media, ask: asked, sound: () => null, changed: nothing });
  const opens = () => {
    relay.want(true);
    const worker = made.at(-1) ?? expect.unreachable();
    worker.ask();
    return worker;
  };
  relay.reached(true);
  await relay.encodeAs("video/vp8");
  await relay.encodeOnce(true);
  const first = opens();
  expect([asked.mock.calls.length, first.tokens]).toEqual([1, []]);
  relay.given({ urls: ["https://relay"], path: "/path", name: "name", token: "one", validFor: 600 });
  expect(first.tokens).toEqual(["one for 600"]);
  relay.want(false);
  clock.advance(milli(100_000));
  const second = opens();
  expect([asked.mock.calls.length, second.tokens]).toEqual([1, ["one for 500"]]);
  second.ask();
  expect(asked, "that one was refused").toHaveBeenCalledTimes(2);
  relay.want(false);
  clock.advance(milli(450_000));
  expect([opens().tokens, asked.mock.calls.length], "it is about to end").toEqual([[], 3]);
});
