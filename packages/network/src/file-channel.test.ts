import { ManualClock } from "@sealcast/time";
import { expect, test } from "vitest";
import { FileChannel } from "./file-channel.ts";
import { MAX_WORD } from "./file-messages.ts";

test("words to an end that reads nothing take little memory, and go on once it reads", () => {
  const channel = {
    readyState: "open",
    bufferedAmount: 0,
    send(message: Uint8Array) {
      this.bufferedAmount += message.length;
    },
  };
  const connection = { createDataChannel: () => channel } as unknown as RTCPeerConnection;
  const nothing = () => undefined;
  const events = { opened: nothing, word: nothing, part: () => true, ready: nothing, breached: nothing };
  const files = new FileChannel(connection, events, new ManualClock());
  const said = Array.from({ length: 1_000 }, () => files.say(new Uint8Array(MAX_WORD)));
  expect([said[0], said.at(-1)]).toEqual([true, false]);
  expect(channel.bufferedAmount).toBeLessThan(1024 * 1024);
  channel.bufferedAmount = 0;
  expect(files.say(new Uint8Array(1))).toBe(true);
});
