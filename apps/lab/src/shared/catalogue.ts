import type { PaperName } from "./papers.ts";

/** What the lab can measure: the one list, which the page and the command both read. */
export interface Description {
  /** As the command is given it. */
  readonly name: string;
  readonly title: string;
  /** What it measures, in a sentence. */
  readonly measures: string;
  /** Whose figures stand beside ours. */
  readonly paper: PaperName | null;
  readonly arms: readonly string[];
  /** Whether it runs in one page, from a button, or by the command only. */
  readonly runs: "page" | "command";
  /** What the command alone has of it, or what it needs the command for; "" where that is nothing. */
  readonly needs: string;
  /** Of the values that it hands on while it runs; "" where there are none. */
  readonly unit: string;
}

const NODE = "a Node process, whose OpenSSL has the paper's broken ciphers";

export const catalogue = [
  {
    name: "selective",
    title: "Selective packets",
    measures: "What sealing 25 to 100 % of a video's packets costs, alone and in a call",
    paper: "selective-gcm",
    arms: ["AES-128-GCM", "AES-256-GCM"],
    runs: "page",
    needs: "CPU and calls: two browsers, and root for a link of 5 Mbit/s",
    unit: "ms",
  },
  {
    name: "threads",
    title: "Parallel chunks",
    measures: "How fast raw and encoded 1920x1080 frames are sealed by 1, 2, 4 and 8 workers",
    paper: "parallel-threads",
    arms: ["AES-256-GCM", "AES-256-CTR"],
    runs: "page",
    needs: "CPU, and AES-256-GCM by OpenSSL: Node",
    unit: "MB/s",
  },
  {
    name: "bandwidth",
    title: "Critical bandwidth",
    measures: "Which cipher keeps up with packets at 1 Mbit/s and more, on one core",
    paper: "multicast-bandwidth",
    arms: ["AES-256-GCM", "AES-128-GCM", "XChaCha20-Poly1305", "DES-CBC (broken)", "RC4 (broken)"],
    runs: "page",
    needs: `DES and RC4: ${NODE}`,
    unit: "% behind",
  },
  {
    name: "batch",
    title: "Batches of images",
    measures: "How long 1 to 50,000 small images take: by one worker, by all, by WebGPU, and with the paper's ciphers",
    paper: "multilevel-gpu",
    arms: [
      "AES-128-GCM",
      "AES-256-GCM",
      "AES-256-GCM, then XChaCha20-Poly1305",
      "AES-CTR by WebGPU",
      "DES-ECB (broken)",
      "AES-ECB (broken)",
      "AES-256-ECB over DES-ECB (broken)",
    ],
    runs: "page",
    needs: `DES and ECB: ${NODE}`,
    unit: "s",
  },
  {
    name: "vault",
    title: "Encrypted files",
    measures: "How fast files are sealed and opened by one worker and by all, and seeks in a long recording",
    paper: "parallelfs",
    arms: ["plain", "sealed, 1 worker", "sealed, all workers", "Blowfish-128-CTR (broken)"],
    runs: "page",
    needs: `Blowfish: ${NODE}. The browser's memory: Linux`,
    unit: "MB/s",
  },
  {
    name: "frame-path",
    title: "A frame's way",
    measures:
      "What sealing and opening cost each 720p frame of a real connection, beside livekit-client's worker and bare AES-256-GCM",
    paper: null,
    arms: ["sealcast", "livekit", "bare", "pass"],
    runs: "page",
    needs: "",
    unit: "µs",
  },
  {
    name: "capacity",
    title: "Tracks at a time",
    measures: "How many 720p tracks are sealed and opened with a p95 residence under 5 ms",
    paper: null,
    arms: ["Sealcast, pool of 1", "Sealcast, pool of 2", "livekit-client's worker"],
    runs: "page",
    needs: "",
    unit: "tracks",
  },
  {
    name: "leakage",
    title: "What is readable",
    measures: "How much an attacker without keys sees of 640x360 video under each selection policy",
    paper: null,
    arms: ["random bytes", "everything", "75 %", "50 %", "25 %", "0 %", "key frames only"],
    runs: "page",
    needs: "",
    unit: "SSIM",
  },
  {
    name: "signatures",
    title: "Signed frames",
    measures: "What signing a stream's 720p frames costs the host that seals and the viewer that opens them",
    paper: null,
    arms: ["signed", "not signed"],
    runs: "page",
    needs: "",
    unit: "µs",
  },
  {
    name: "measuring-cost",
    title: "Cost of measuring",
    measures: "What the product's own measuring takes of a worker, and of one core at 60 frames a second",
    paper: null,
    arms: ["always", "while somebody looks"],
    runs: "page",
    needs: "",
    unit: "µs",
  },
  {
    name: "call-latency",
    title: "Latency of a call",
    measures: "What sealing adds to a call's latency and CPU, from camera to screen",
    paper: null,
    arms: ["no transform", "pass-through", "sealed", "two layers"],
    runs: "command",
    needs: "two browsers, and root for --rate",
    unit: "",
  },
  {
    name: "encoders",
    title: "Encoders",
    measures: "What encoding 720p costs by codec, on an idle machine and on a busy one",
    paper: null,
    arms: ["VP8", "VP9", "H.264", "AV1"],
    runs: "command",
    needs: "processes that keep all cores busy, and the browser's CPU time",
    unit: "",
  },
  {
    name: "live-fanout",
    title: "Live stream",
    measures: "What a live stream costs its host, encoded once or for each viewer, and what viewers get",
    paper: null,
    arms: ["one encoder for all links", "one encoder for each link"],
    runs: "command",
    needs: "two browsers and the server, and root for a viewer behind 1 Mbit/s",
    unit: "",
  },
  {
    name: "live-keys",
    title: "Keys for viewers",
    measures: "How long a live host's page takes to give its keys to thousands of viewers",
    paper: null,
    arms: ["2,000 viewers"],
    runs: "command",
    needs: "the server, and thousands of clients in Node",
    unit: "",
  },
  {
    name: "live-wide",
    title: "Live stream over relays",
    measures:
      "What a stream over relays costs its host and a relay, how late it is, and how long relays and removals take",
    paper: null,
    arms: ["four pages and one viewer without a page", "four pages and all without", "all without, which open nothing"],
    runs: "command",
    needs: "the server, two moq-relays, two browsers, and viewers in Node",
    unit: "",
  },
  {
    name: "membership",
    title: "Joins and removals",
    measures: "How long a join and a removal take, and how many frames a change of epoch costs",
    paper: null,
    arms: ["2 members", "6 members", "12 members"],
    runs: "command",
    needs: "the server and calls of up to 12 pages",
    unit: "",
  },
  {
    name: "recording-cost",
    title: "Cost of recording",
    measures: "How many frames a second two people see of each other with and without a recording of both",
    paper: null,
    arms: ["not recorded", "recorded"],
    runs: "command",
    needs: "the server and a call of two pages",
    unit: "",
  },
  {
    name: "effects",
    title: "Background and noise",
    measures:
      "What a blurred or replaced background at 720p and noise suppression take of a core, and how much later they send",
    paper: null,
    arms: ["none", "blur", "replaced", "noise"],
    runs: "command",
    needs: "the server and a page of its own, whose camera sees someone in a room",
    unit: "",
  },
  {
    name: "relay",
    title: "Through a media relay",
    measures:
      "What calls of 2 to 12 people through a LiveKit server take: plain, with livekit-client's encryption and with ours, beside the mesh",
    paper: null,
    arms: ["plain", "LiveKit's encryption", "ours", "the app, in the mesh", "the app, over LiveKit"],
    runs: "command",
    needs: "a LiveKit server (npm run servers builds one), the server, and calls of up to 12 pages",
    unit: "",
  },
  {
    name: "signalling-load",
    title: "Load of a server",
    measures:
      "What one signalling server carries: connections, messages, the end of a stream, everybody back after a restart",
    paper: null,
    arms: ["calls", "end of a stream", "restart"],
    runs: "command",
    needs: "the server, and thousands of clients in Node",
    unit: "",
  },
] as const satisfies readonly Description[];

type Entry = (typeof catalogue)[number];
export type ExperimentName = Entry["name"];
/** Those that run in one page. */
export type PageExperimentName = Extract<Entry, { runs: "page" }>["name"];

/** Null: there is no experiment of this name. */
export function described(name: string): (Description & { readonly name: ExperimentName }) | null {
  return catalogue.find((entry) => entry.name === name) ?? null;
}
