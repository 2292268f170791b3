import type { DropReason } from "@sealcast/frame";
import type { Attachment, MediaKind, MediaPool, TrackReport } from "@sealcast/media";
import { ManualClock, milli } from "@sealcast/time";
import { describe, expect, it } from "vitest";
import type { Proven, Sample } from "./browser-counters.ts";
import { EncryptionAudit, PROOF_EVERY } from "./encryption-audit.ts";

/** "failing" is to show within this of the moment when frames no longer pass. */
const BOUND_MS = 2_000;
/** A worker's answer to the last of the samples may take that long: REPORT_WITHIN_MS in packages/media. */
const ANSWER_MS = 400;

type Way = Pick<Sample, "direction"> & { kind: MediaKind };

/** What had happened to a track at one moment. Of sound sent, `through` and `counted` are bytes. */
interface Moment {
  through: number;
  counted: number;
  refused?: number;
  /** Why; altered where it is not said. */
  why?: DropReason;
  readable?: number;
  renewals?: number;
  /** Came to the transform and is still in it. */
  inside?: number;
  /** Received, and not decoded yet, as the browser counts. */
  waiting?: number;
  /** The worker does not answer. */
  silent?: boolean;
}

const TRACK = { id: "t1" } as Attachment;

function sampleOf({ direction, kind }: Way, moment: Moment): Sample {
  const { through, counted, refused = 0, why = "bad-tag", renewals = 0, silent = false, readable = 0 } = moment;
  const { inside = 0, waiting = 0 } = moment;
  const peer = { name: "Ada" } as Sample["peer"];
  const line = { source: kind === "audio" ? "microphone" : "camera", kind } as Sample["line"];
  const dropped = refused > 0 ? [{ why, epoch: 1, count: refused }] : [];
  const came = through + refused + inside;
  const report = { id: "t1", bytes: through, came, frames: through, readable, refused: dropped, codec: null, epoch: 1 };
  return {
    peer,
    line,
    direction,
    attachment: TRACK,
    renewals,
    report: silent ? null : (report as unknown as TrackReport),
    counted: { wire: counted, before: counted, after: counted, bytes: 0, waiting },
    passed: silent ? 0 : through,
    refused: silent || why === "late" ? 0 : refused,
    late: why === "late" ? refused : 0,
    leftOut: 0,
  };
}

/** The state after each sample, half a second apart. */
function states(way: Way, moments: Moment[]): string[] {
  const proof = new EncryptionAudit({} as MediaPool);
  const samples = moments.map((moment) => sampleOf(way, moment));
  return samples.map((now, at) => proof.judge([[now, samples[at - 2] ?? null]], { now: [], before: [] }, 1).state);
}

it("counts what the server delivered and was refused, by reason, and stays as it is", () => {
  const proof = new EncryptionAudit({} as MediaPool);
  for (const why of ["replayed", "bad-message", "replayed"]) proof.drop(why);
  const { state, dropped } = proof.judge([], { now: [], before: [] }, 1);
  expect([state, dropped]).toEqual(["idle", { replayed: 2, "bad-message": 1 }]);
});

it("takes the last reading of what does not say what it counted within 2 s, and goes on", async () => {
  const clock = new ManualClock();
  const report = async () => ({ tracks: new Map(), fanOuts: [], sealed: [] });
  const proof = new EncryptionAudit({ report } as unknown as MediaPool, clock);
  const line = { source: "camera", kind: "video", transceiver: { mid: "v" }, sent: null, received: { id: "t1" } };
  const entry = {
    type: "inbound-rtp",
    kind: "video",
    mid: "v",
    packetsReceived: 9,
    framesReceived: 9,
    framesDecoded: 9,
  };
  const stats = { read: () => new Promise(() => undefined), latest: { at: milli(0), entries: [entry] } };
  const sampled = proof.sample([{ name: null, state: "connected", lines: [line], stats } as unknown as Proven]);
  clock.advance(milli(2_000));
  const { samples } = await sampled;
  expect(samples.map(([{ counted }]) => counted.wire)).toEqual([9]);
});

const ways: Way[] = [
  { direction: "sent", kind: "video" },
  { direction: "received", kind: "video" },
  { direction: "sent", kind: "audio" },
];

describe.each(ways)("$kind $direction past the transform", (way) => {
  /** Much passed that was never sent or decoded: totals cannot tell for a long time. */
  const SLACK = 500;

  it("is failing within 2 s, at whatever moment between two samples it begins", () => {
    for (let phase = 0; phase < PROOF_EVERY; phase += 10) {
      const start = 5 * PROOF_EVERY + phase;
      const at = (ms: number): Moment => ({ through: SLACK + Math.min(ms, start) / 20, counted: ms / 20 });
      const seen = states(
        way,
        Array.from({ length: 12 }, (_, index) => at(index * PROOF_EVERY)),
      );
      const found = seen.indexOf("failing") * PROOF_EVERY;
      expect(found).toBeGreaterThan(start);
      expect(found - start + ANSWER_MS).toBeLessThanOrEqual(BOUND_MS);
    }
  });

  it("is failing a second after totals tell: frames may be on their way to the transform of a busy computer", () => {
    const counts = [
      [10, 11],
      [11, 12],
      [12, 13],
      [13, 14],
      [13, 14],
      [13, 14],
    ] as const;
    const seen = states(
      way,
      counts.map(([through, counted]) => ({ through, counted })),
    );
    expect(seen).toEqual([...Array(5).fill("encrypted"), "failing"]);
  });

  it("is not failing because a worker does not answer, however long; what went past it shows when it does again", () => {
    const silent = Array.from({ length: 12 }, (_, half) => ({ through: 100, counted: 91 + half, silent: true }));
    const seen = states(way, [{ through: 100, counted: 90 }, ...silent]);
    expect(seen).toEqual(Array(13).fill("encrypted"));
    const back = [1, 2, 3].map((half) => ({ through: 100 + half, counted: 110 }));
    expect(states(way, [{ through: 100, counted: 90 }, ...silent, ...back]).at(-1)).toBe("failing");
  });

  it("is not failing while frames pass, when they end, when what waited is still decoded, or with a fresh transform", () => {
    const passing = Array.from({ length: 8 }, (_, half) => ({ through: 15 * half + 3, counted: 15 * half }));
    const ended = [
      { through: 108, counted: 106 },
      { through: 108, counted: 107 },
      { through: 108, counted: 108 },
      { through: 108, counted: 108 },
    ];
    const fresh = [1, 2, 3].map((half) => ({ through: 15 * half, counted: 108 + 15 * half - 15, renewals: 1 }));
    expect(new Set(states(way, [...passing, ...ended, ...fresh]))).toEqual(new Set(["encrypted"]));
  });
});

describe.each(ways)("$kind $direction through a fresh transform", (way) => {
  it("is not failing for what went to the one before it while that was dead", () => {
    const before = [1, 2, 3].map((half) => ({ through: 15 * half, counted: 15 * half }));
    // The browser counts on before the first frame comes to the fresh one; its worker is asked after the browser is.
    const lost = [{ through: 0, counted: 50, renewals: 1 }];
    const passing = [1, 2, 3, 4, 5, 6].map((half) => ({
      through: 15 * half - 10,
      counted: 60 + 15 * half,
      renewals: 1,
    }));
    expect(new Set(states(way, [...before, ...lost, ...passing]))).toEqual(new Set(["encrypted"]));
  });

  it("is failing for what goes past it once it had begun", () => {
    const passing = [1, 2, 3, 4].map((half) => ({ through: 15 * half, counted: 60 + 15 * half, renewals: 1 }));
    const past = [1, 2, 3].map((half) => ({ through: 60 + half, counted: 160 + 15 * half, renewals: 1 }));
    expect(states(way, [...passing, ...past]).at(-1)).toBe("failing");
  });

  it("is failing within a second for what goes past each of them, where another is set every 2.5 s", () => {
    const moments = Array.from({ length: 15 }, (_, half) => ({
      through: 0,
      counted: 60 + 15 * half,
      renewals: 1 + Math.floor(half / 5),
    }));
    const failing = states(way, moments).map((state) => state === "failing");
    const each = [false, false, true, true, true];
    expect(failing).toEqual([...each, ...each, ...each]);
  });
});

describe("on a computer that is too busy", () => {
  it("is not failing while a decoder works off what was opened before, as a 4-way call did when a tab was closed", () => {
    const picture: Way = { direction: "received", kind: "video" };
    const seen = states(picture, [
      { through: 493, counted: 489, waiting: 4 },
      { through: 541, counted: 535, waiting: 6 },
      { through: 551, counted: 545, waiting: 6 },
      { through: 551, counted: 548, waiting: 3 },
      { through: 551, counted: 551 },
    ]);
    expect(new Set(seen)).toEqual(new Set(["encrypted"]));
  });

  it("is not failing where a starved decoder takes two seconds for six pictures, with nothing new to open", () => {
    const picture: Way = { direction: "received", kind: "video" };
    const seen = states(picture, [
      { through: 90, counted: 84, waiting: 6 },
      { through: 94, counted: 88, waiting: 6 },
      { through: 94, counted: 91, waiting: 3 },
      { through: 94, counted: 94 },
      { through: 94, counted: 94 },
    ]);
    expect(new Set(seen)).toEqual(new Set(["encrypted"]));
  });

  it("is not failing while a decoder works off what a transform opened before a fresh one took its place", () => {
    const picture: Way = { direction: "received", kind: "video" };
    const seen = states(picture, [
      { through: 100, counted: 86, waiting: 14 },
      { through: 5, counted: 90, waiting: 15, renewals: 1 },
      { through: 10, counted: 94, waiting: 16, renewals: 1 },
      { through: 12, counted: 104, waiting: 8, renewals: 1 },
      ...[14, 16, 18, 20].map((through) => ({ through, counted: 100 + through, renewals: 1 })),
    ]);
    expect(new Set(seen)).toEqual(new Set(["encrypted"]));
  });

  it("is failing where more is decoded than waited when a fresh transform took a place, and than that one opened", () => {
    const picture: Way = { direction: "received", kind: "video" };
    const seen = states(picture, [
      { through: 5, counted: 90, waiting: 15, renewals: 1 },
      { through: 10, counted: 94, waiting: 16, renewals: 1 },
      ...[12, 14, 16, 18].map((through) => ({ through, counted: 120 + through, renewals: 1 })),
    ]);
    expect(seen.at(-1)).toBe("failing");
  });

  it("is failing where more is decoded than waited", () => {
    const picture: Way = { direction: "received", kind: "video" };
    const seen = states(picture, [
      { through: 90, counted: 60, waiting: 6 },
      { through: 94, counted: 64, waiting: 6 },
      { through: 94, counted: 70 },
      { through: 94, counted: 76 },
    ]);
    expect(seen).toEqual([...Array(3).fill("encrypted"), "failing"]);
  });

  it("is not failing while frames that were sent wait in the transform, or for what takes the place of a stand-in", () => {
    const sent: Way = { direction: "sent", kind: "video" };
    const inside = { through: 10, counted: 15, inside: 5 };
    const seen = states(sent, [{ through: 10, counted: 10 }, inside, inside, inside, inside]);
    expect(new Set(seen)).toEqual(new Set(["encrypted"]));
  });

  it("is not failing where all frames come too late, and says after a while that no media flows", () => {
    for (const direction of ["sent", "received"] as const) {
      const late = [0, 1, 2, 3, 4, 5].map((half) => ({
        through: 50,
        counted: 50,
        refused: 10 * half,
        why: "late" as const,
      }));
      expect(states({ direction, kind: "audio" }, late)).toEqual([...Array(5).fill("encrypted"), "idle"]);
    }
  });
});

describe("frames without a key", () => {
  it.each(["no-key", "unknown-epoch"] as const)(
    "are failing where it lasts, as a change of keys does not: %s",
    (why) => {
      const keyless = Array.from({ length: 12 }, (_, half) => ({ through: 50, counted: 50, refused: 10 * half, why }));
      const seen = states({ direction: "received", kind: "video" }, keyless);
      expect(seen.indexOf("failing") * PROOF_EVERY).toBe(5_500);
    },
  );
});

it("frames whose signatures are overdue are failing once it is known that others made them, not before", () => {
  const refused = (why: DropReason) =>
    Array.from({ length: 40 }, (_, half) => ({ through: 50, counted: 50, refused: 10 * half, why }));
  expect(states({ direction: "received", kind: "video" }, refused("unsigned"))).not.toContain("failing");
  expect(states({ direction: "received", kind: "video" }, refused("forged"))).toContain("failing");
});

it("compares what passed since the transform was set with what the browser counted since then, in one unit", () => {
  const proof = new EncryptionAudit({} as MediaPool);
  const compared = (way: Way, moment: Moment, bytes = 0) => {
    const now = sampleOf(way, moment);
    const counted = { ...now.counted, bytes };
    return proof.judge([[{ ...now, counted }, null]], { now: [], before: [] }, 1).tracks[0]?.compared;
  };
  const sound: Way = { direction: "received", kind: "audio" };
  expect(compared(sound, { through: 900, counted: 40 }, 890)).toEqual({ passed: 900, counted: 890 });
  const picture: Way = { direction: "received", kind: "video" };
  expect(compared(picture, { through: 30, counted: 29 })).toEqual({ passed: 30, counted: 29 });
  expect(compared(picture, { through: 0, counted: 31, renewals: 1 })).toEqual({ passed: 0, counted: 0 });
  expect(compared(picture, { through: 12, counted: 41, renewals: 1 })).toEqual({ passed: 12, counted: 10 });
});

describe("no media", () => {
  const way: Way = { direction: "received", kind: "audio" };

  it("is idle from the start, at once where everybody has gone, and otherwise when nothing has passed for 3 s", () => {
    expect(new EncryptionAudit({} as MediaPool).judge([], { now: [], before: [] }, 1).state).toBe("idle");
    const [none, some] = [
      { through: 0, counted: 0 },
      { through: 20, counted: 20 },
    ];
    expect(states(way, [none, some, ...Array(6).fill(some)])).toEqual([
      "idle",
      ...Array(5).fill("encrypted"),
      "idle",
      "idle",
    ]);
    const proof = new EncryptionAudit({} as MediaPool);
    expect(proof.judge([[sampleOf(way, some), null]], { now: [], before: [] }, 1).state).toBe("encrypted");
    expect(proof.judge([], { now: [], before: [] }, 1).state).toBe("idle");
  });
});

describe("frames that come and do not pass", () => {
  const way: Way = { direction: "received", kind: "video" };

  it("are failing after a second of it", () => {
    const refusing = [0, 1, 2, 3].map((half) => ({ through: 50, counted: 50, refused: 10 * half }));
    expect(states(way, refusing)).toEqual(["encrypted", "encrypted", "failing", "failing"]);
  });

  it("are not where others pass within the same second", () => {
    const mixed = [0, 1, 2, 3, 4, 5].map((half) => ({ through: 50 + (half >> 1), counted: 50, refused: 10 * half }));
    expect(new Set(states(way, mixed))).toEqual(new Set(["encrypted"]));
  });
});
