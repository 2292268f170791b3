import { expect, test } from "vitest";
import { toJson as encode } from "../json.ts";
import { type FromHost, type FromViewer, parseFromHost, parseFromViewer } from "./messages.ts";

const ANSWER = { id: "x".repeat(22), question: "How deep?", answer: "Nine metres." };
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

test("each end reads what the other says, and nothing that is for the other end to say", () => {
  const hello: FromViewer = {
    type: "hello",
    decodes: ["video/h264", "video/vp8"],
    plays: ["video/vp8"],
    fresh: true,
    listens: false,
  };
  const unreached: FromViewer = { ...hello, unreached: "relay" };
  const sends: FromHost = { type: "sends", picture: true, sound: false };
  const signal: FromHost & FromViewer = {
    type: "signal",
    link: "x".repeat(22),
    signal: { type: "candidates", candidates: [] },
  };
  const recordings: FromHost = { type: "recordings", host: "paused", viewersMay: false };
  const records: FromViewer = { type: "records", stage: null };
  const listens: FromViewer = { type: "listens", listens: true };
  const relayed: FromViewer = { type: "relayed", shown: true };
  const name: FromViewer = { type: "name", name: "" };
  const about: FromHost = { type: "about", title: "", host: "Ann" };
  const answer: FromHost = { type: "answer", answer: ANSWER };
  const relay: FromHost = { type: "relay", codec: "video/h264", sizes: [{ width: 640, height: 360 }] };
  const asks: FromViewer = { type: "timing", message: { type: "ask", asked: 1 }, frames: [5] };
  const clock: FromHost = { type: "timing", message: { type: "clock", asked: 1, came: 2, left: 3 } };
  const answers: FromHost = { type: "answers", answers: [ANSWER] };
  for (const message of [hello, unreached, listens, records, name, relayed, asks, signal])
    expect(parseFromViewer(encode(message))).toEqual(message);
  for (const message of [sends, recordings, about, answer, answers, relay, clock, signal])
    expect(parseFromHost(encode(message))).toEqual(message);
  for (const message of [hello, records, name, relayed, asks]) expect(parseFromHost(encode(message))).toBeNull();
  for (const message of [sends, recordings, about, answer, answers, relay, clock])
    expect(parseFromViewer(encode(message))).toBeNull();
});

const MANY = Array.from({ length: 17 }, () => "video/vp8");

test.each([
  { type: "question", text: "" },
  { type: "question", text: "x".repeat(501) },
  { type: "question", text: "why", more: 1 },
  { type: "name", name: "x".repeat(321) },
  { type: "name", name: null },
  { type: "hello", decodes: [], plays: [], fresh: true, listens: false, unreached: "server" },
  { type: "hello", decodes: MANY, plays: [], fresh: false, listens: true },
  { type: "hello", decodes: [], plays: MANY, fresh: false, listens: true },
  { type: "hello", decodes: [], fresh: false, listens: true },
  { type: "listens" },
  { type: "records", stage: "secretly" },
  { type: "signal", link: 1, signal: { type: "candidates", candidates: [] } },
  { type: "signal", link: "x".repeat(23), signal: { type: "candidates", candidates: [] } },
  { type: "signal", link: "x".repeat(22), signal: { type: "other" } },
  { type: "timing", message: { type: "ask", asked: 1 } },
  { type: "timing", message: { type: "clock", asked: 1, came: 1, left: 1 }, frames: [] },
  { type: "timing", message: { type: "ask", asked: 1 }, frames: [0.5] },
  { type: "timing", message: { type: "ask", asked: 1 }, frames: Array.from({ length: 65 }, () => 1) },
  { type: "farewell" },
  "hello",
])("%j of a viewer is dropped", (message) => {
  expect(parseFromViewer(bytes(message))).toBeNull();
});

test.each([
  { type: "about", title: "x".repeat(321), host: "" },
  { type: "about", title: "", host: "x".repeat(321) },
  { type: "about", title: "" },
  { type: "answer", answer: { ...ANSWER, answer: "" } },
  { type: "answer", answer: { ...ANSWER, answer: "x".repeat(1_001) } },
  { type: "answer", answer: { ...ANSWER, question: "x".repeat(501) } },
  { type: "answer", answer: { ...ANSWER, id: 7 } },
  { type: "answer", answer: { ...ANSWER, name: "Ann" } },
  { type: "answers", answers: Array.from({ length: 21 }, () => ANSWER) },
  { type: "answers", answers: ANSWER },
])("%j of a host is dropped", (message) => {
  expect(parseFromHost(bytes(message))).toBeNull();
});

test("what is too long, or no text, is dropped", () => {
  expect(parseFromViewer(new Uint8Array(41 * 1024).fill(32))).toBeNull();
  expect(parseFromHost(Uint8Array.of(0xff, 0xfe))).toBeNull();
});
