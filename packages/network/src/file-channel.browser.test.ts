import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { FilePart } from "./file-messages.ts";
import { fileMessage, MAX_WORD, PART_BYTES } from "./file-messages.ts";
import { channelOf, End } from "./link.cases.ts";

let sender: End;
let receiver: End;
beforeEach(async () => {
  receiver = new End(false, "sendrecv", true);
  sender = new End(true, "sendrecv", true);
  [sender.other, receiver.other] = [receiver, sender];
  const opened = () => expect([sender, receiver].map(({ link }) => link.files?.isOpen)).toEqual([true, true]);
  await vi.waitFor(opened, { timeout: 10_000 });
});
afterEach(() => {
  for (const end of [sender, receiver]) end.link.close();
});

const part = (chunk: number, bytes = PART_BYTES): FilePart => {
  return { slot: 1, chunk, part: 0, bytes: new Uint8Array(bytes).fill(chunk) };
};

/** The channel for files, to say over it what no client says. */
function filesOf({ link }: End): RTCDataChannel {
  const sent = vi.spyOn(RTCDataChannel.prototype, "send");
  link.files?.say(Uint8Array.of(1));
  const channel = sent.mock.contexts[0] as RTCDataChannel;
  sent.mockRestore();
  return channel;
}

test("parts come in order and whole, and more room comes with each that arrived", async () => {
  const { files } = sender.link;
  let next = 0;
  const fill = () => {
    while (next < 200 && files?.hasRoom) files.send(part(next++));
  };
  sender.ready = fill;
  fill();
  expect(next, "what may be on its way at first").toBeLessThan(10);
  await vi.waitFor(() => expect(receiver.parts.length).toBe(200), { timeout: 10_000 });
  expect(receiver.parts.map(({ chunk }) => chunk)).toEqual(Array.from({ length: 200 }, (_, at) => at));
  expect(receiver.parts.every(({ chunk, bytes }) => bytes.length === PART_BYTES && bytes[0] === chunk % 256)).toBe(
    true,
  );
});

test("short messages come through while parts fill the way", async () => {
  const { files } = sender.link;
  let next = 0;
  sender.ready = () => {
    while (next < 2_000 && files?.hasRoom) files.send(part(next++));
  };
  sender.ready();
  await vi.waitFor(() => expect(sender.link.say("heartbeat", Uint8Array.of(7))).toBe(true));
  await vi.waitFor(() => expect(receiver.heard).toContainEqual(["heartbeat", Uint8Array.of(7)]));
  expect(receiver.parts.length).toBeLessThan(2_000);
});

test("words come; one that is too long is not sent", async () => {
  expect(sender.link.files?.say(new Uint8Array(MAX_WORD + 1))).toBe(false);
  expect(sender.link.files?.say(new Uint8Array(MAX_WORD))).toBe(true);
  await vi.waitFor(() => expect(receiver.words.map(({ length }) => length)).toEqual([MAX_WORD]));
});

test.each([
  ["of a kind that there is not", Uint8Array.of(9, 1)],
  ["of nothing", new Uint8Array()],
  ["of text", "text"],
  ["that a part arrived which was never sent", fileMessage.encode({ type: "arrived", bytes: 5 })],
  ["too large", new Uint8Array(17_000).fill(1)],
  ["with a word that is too long", new Uint8Array(MAX_WORD + 2).fill(3)],
])("a message %s closes the connection", async (_, odd) => {
  filesOf(sender).send(odd as string);
  await vi.waitFor(() => expect(receiver.breaches).toEqual(["malformed"]));
  expect(receiver.link.connection.connectionState).toBe("closed");
});

test("a part that nobody asked for closes the connection, and nothing after it counts", async () => {
  receiver.takes = () => false;
  sender.link.files?.send(part(0));
  sender.link.files?.say(Uint8Array.of(5));
  await vi.waitFor(() => expect(receiver.breaches).toEqual(["malformed"]));
  expect(receiver.words).toEqual([]);
});

test("more words than the budget has close the connection", async () => {
  const channel = filesOf(receiver);
  const data = fileMessage.encode({ type: "word", body: Uint8Array.of(1) }).buffer;
  for (let sent = 0; sent < 400; sent++) channel.dispatchEvent(new MessageEvent("message", { data }));
  expect(receiver.breaches).toEqual(["flood"]);
  expect(receiver.words.length).toBeLessThan(300);
});

test("an end that has no files hears none", async () => {
  const [callee, caller] = [new End(false), new End(true)];
  [caller.other, callee.other] = [callee, caller];
  await vi.waitFor(() => expect(caller.link.say("heartbeat", Uint8Array.of(1))).toBe(true), { timeout: 10_000 });
  expect(caller.link.files).toBeNull();
  expect(channelOf(caller).id).toBe(0);
  for (const end of [caller, callee]) end.link.close();
});
