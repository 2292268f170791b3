import { expect, test } from "vitest";
import type { CallView } from "../call/call-view.ts";
import type { Person } from "../call/person.ts";
import type { TimedLink } from "../measuring/timing.ts";
import type { Stats } from "../peer/link-stats.ts";
import { supportDetails } from "./details.ts";

/** Whatever is private, in every place where a call has something of that kind. */
const PRIVATE = [
  "Annabella",
  "room-6f2c",
  "secret-9a1b",
  "192.168.7.31",
  "fe80::7",
  "Jabra of Ann",
  "key-77aa",
  "hello there",
];
const [name, room, secret, address, address6, device, key, message] = PRIVATE as [string, ...string[]];

const label = { name, mark: null };
const person = {
  ...{ id: key, identity: key, name, label, trust: { level: "met", pinnedName: name }, isVerified: true },
  ...{ stream: { id: key }, screen: { id: key }, camera: true, microphone: true, connection: "reconnecting" },
  ...{ breach: null, isHeardOf: true, code: { digits: key, words: [key] }, answering: false, missing: ["video"] },
  ...{ videoPaused: "connection", records: { id: key, stage: "on" }, isToAsk: true, answer: null },
} as unknown as Person;

const entries = [
  { type: "candidate-pair", nominated: true, currentRoundTripTime: 0.12345678, id: address, localCandidateId: address },
  { type: "candidate-pair", nominated: false, currentRoundTripTime: 99, availableOutgoingBitrate: 12345 },
  { type: "local-candidate", address, relatedAddress: address6, url: `stun:${address}` },
  { type: "remote-candidate", address: address6, usernameFragment: secret },
  { type: "certificate", fingerprint: key },
  { type: "outbound-rtp", kind: "video", qualityLimitationReason: name, frameHeight: 360, trackIdentifier: device },
  { type: "inbound-rtp", kind: `audio ${name}`, packetsLost: 5, trackIdentifier: device },
  { type: "media-source", trackIdentifier: device },
] as unknown as Stats[];

const view = {
  ...{ phase: "in-call", problem: null, lacks: [], signalling: "reconnecting", answer: null, layers: 1, name },
  me: { camera: { on: true, problem: null }, microphone: { on: false, problem: "unplugged" }, screen: true },
  devices: { cameras: [{ label: device, deviceId: key }], microphones: [], speakers: [{ label: device }] },
  chosen: { camera: key, microphone: device, speaker: key },
  deviceNews: { kind: "microphone", is: "replaced", label: device },
  ...{ sharesSound: false, screenChoice: { content: "text", lines: null, framesPerSecond: 15 }, incomingVideo: true },
  ...{ hidesSpeech: true, speechShows: false, overloaded: true, overloadStep: 2 },
  alarms: [{ what: "withheld-here", who: name }],
  people: [person],
  paused: [name],
  knockers: [{ name }],
  removed: [key],
  ...{ room, secret, link: `https://example.org/call/${room}#${secret}`, chat: [{ from: name, text: message }] },
  encryption: {
    ...{ state: "failing", epoch: 7, dropped: { address: 3 }, readable: [], encoders: [] },
    causes: [{ who: name, track: "camera", epoch: 7, why: "bad-tag", count: 12 }],
    tracks: [
      {
        ...{ key, who: name, direction: "sent", source: "camera", kind: "video", codec: "video/H264", epoch: 7 },
        ...{ frames: 4321, readable: 0, compared: { passed: 1, counted: 1 }, dropped: { late: 8 }, p50: 1, p95: 180 },
        overhead: 22,
      },
    ],
  },
} as unknown as CallView;

const links = [{ name, stats: { latest: { entries } } }] as unknown as TimedLink[];

const details = () => supportDetails({ view, measurable: { peers: () => links }, page: { build: "index-1.js" } });

test("the details for support hold no name, room, secret, address, key, message or device's label", () => {
  for (const planted of PRIVATE) expect(JSON.stringify([view, entries, links]), "planted").toContain(planted);
  for (const planted of PRIVATE) expect(details()).not.toContain(planted);
});

test("they say what helps: states, problems, counts and times", () => {
  const text = details();
  for (const part of [
    "build: index-1.js",
    "phase: in-call",
    "server: reconnecting",
    "microphone: off, unplugged",
    "found: 1 cameras, 0 microphones, 1 speakers",
    "overloaded: true, step 2",
    "causes: camera bad-tag 12",
    "sent camera: video/H264, 4321 frames, refused late 8, p95 180 us",
    "connection: reconnecting",
    "camera: true, paused connection",
    "currentRoundTripTime 0.1235",
    "frameHeight 360",
  ])
    expect(text).toContain(part);
  expect(text).not.toContain("12345");
});

test("before a call there is less to say", () => {
  const empty = { ...view, people: [], encryption: { ...view.encryption, tracks: [], causes: [] } };
  expect(supportDetails({ view: empty, measurable: null, page: {} })).not.toContain("Person");
});
