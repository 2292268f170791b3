import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LINK_BUDGETS } from "./budgets.ts";
import { MAX_BODY } from "./channel.ts";
import { channelOf, End } from "./link.cases.ts";

let caller: End;
let callee: End;
beforeEach(async () => {
  callee = new End(false);
  caller = new End(true);
  [caller.other, callee.other] = [callee, caller];
  await vi.waitFor(() => expect(caller.link.say("heartbeat", Uint8Array.of(1, 2))).toBe(true), { timeout: 10_000 });
  await vi.waitFor(() => expect(callee.heard.length).toBe(1));
});
afterEach(() => {
  for (const end of [caller, callee]) end.link.close();
});

test("both ends hear each other, in order, and the callee made no offer for it", async () => {
  await vi.waitFor(() => expect(callee.link.say("heartbeat", Uint8Array.of(3))).toBe(true));
  callee.link.say("heartbeat", Uint8Array.of(4));
  await vi.waitFor(() => expect(caller.heard.length).toBe(2));
  expect(callee.heard).toEqual([["heartbeat", Uint8Array.of(1, 2)]]);
  expect(caller.heard.map(([, body]) => [...body])).toEqual([[3], [4]]);
  expect(callee.descriptions.map(({ description }) => description.type)).not.toContain("offer");
});

test("what is too long is not sent; what is just not is heard", async () => {
  expect(caller.link.say("heartbeat", new Uint8Array(MAX_BODY + 1))).toBe(false);
  expect(caller.link.say("heartbeat", new Uint8Array(MAX_BODY))).toBe(true);
  await vi.waitFor(() => expect(callee.heard.map(([, body]) => body.length)).toEqual([2, MAX_BODY]));
});

test.each([
  ["of a kind that there is not", Uint8Array.of(99, 1)],
  ["of nothing", new Uint8Array()],
  ["too large", new Uint8Array(MAX_BODY + 2).fill(1)],
  ["of text", "text"],
])("a message %s closes the connection, and nothing after it is heard", async (_, odd) => {
  const channel = channelOf(caller);
  channel.send(odd as string);
  channel.send(Uint8Array.of(1, 7));
  await vi.waitFor(() => expect(callee.breaches).toEqual(["malformed"]));
  expect(callee.heard.map(([, [first]]) => first)).toEqual([1, 5]);
  expect(callee.link.connection.connectionState).toBe("closed");
});

/** A burst of messages of this many bytes each: the network takes time to carry them. */
function flood(end: End, messages: number, bytes: number): void {
  const channel = channelOf(end);
  const data = new Uint8Array(bytes).fill(1).buffer;
  for (let sent = 0; sent < messages; sent++) channel.dispatchEvent(new MessageEvent("message", { data }));
}

test("more messages than the budget has close the connection", () => {
  const { burst } = LINK_BUDGETS.channelMessages;
  flood(callee, burst / 2, 1);
  expect(callee.breaches).toEqual([]);
  flood(callee, burst, 1);
  expect(callee.breaches).toEqual(["flood"]);
  expect(callee.heard.length).toBeLessThan(1.2 * burst);
});

test("more bytes than the budget has close the connection", () => {
  const messages = LINK_BUDGETS.channelBytes.burst / (MAX_BODY + 1);
  flood(callee, messages - 1, MAX_BODY + 1);
  expect(callee.breaches).toEqual([]);
  flood(callee, messages, MAX_BODY + 1);
  expect(callee.breaches).toEqual(["flood"]);
  expect(callee.heard.length).toBeLessThan(1.2 * messages);
});

test("another channel than the one there is closes the connection", async () => {
  caller.link.connection.createDataChannel("another").onopen = ({ target }) => (target as RTCDataChannel).send("text");
  await vi.waitFor(() => expect(callee.breaches).toEqual(["malformed"]));
});

test("nothing is sent once much waits for the network", () => {
  const body = new Uint8Array(MAX_BODY);
  const said = Array.from({ length: 32 }, () => caller.link.say("heartbeat", body));
  expect(said).toContain(true);
  expect(said).toContain(false);
});
