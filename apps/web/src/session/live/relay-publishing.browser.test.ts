import { ManualClock, milli } from "@sealcast/time";
import { expect, test } from "vitest";
import { Lifetime } from "../lifetime.ts";
import { RelayPublishing } from "./relay-publishing.ts";

test("viewers wait for ten seconds for a stream that does not come to the relays, and are told once that it does not", () => {
  const clock = new ManualClock();
  const told: unknown[] = [];
  const relay: RelayPublishing = new RelayPublishing({
    media: { life: new Lifetime(clock), pool: null },
    ask: () => undefined,
    sound: () => null,
    changed: () => void told.push(relay.offer),
  });
  const pass = (seconds: number) => {
    for (let half = 0; half < 2 * seconds; half++) {
      clock.advance(milli(500));
      relay.examine([]);
    }
  };
  pass(60);
  expect(told, "while nobody is to find it there").toEqual([]);
  relay.want(true);
  pass(9);
  expect([told, relay.offer]).toEqual([[], null]);
  pass(2);
  expect(told).toEqual([{ type: "full" }]);
  pass(60);
  expect(told).toHaveLength(1);
  relay.want(false);
  pass(1);
  expect(told).toEqual([{ type: "full" }, null]);
});
