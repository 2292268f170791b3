import { milli } from "@sealcast/time";
import { expect, test } from "vitest";
import type { Stats } from "../peer/link-stats.ts";
import { Reception, type ReceptionView } from "./reception.ts";

/** Mean squares of half a second. */
const [SPEECH, SILENCE] = [0.01, 0];

/** Some people whose browsers' counters go on by half a second each time. */
class Room {
  readonly shown: ReceptionView[] = [];
  readonly #energy = new Map<string, number>();
  readonly #connections = new Map<string, { reception: ReturnType<Room["connection"]> }>();
  readonly #reception = new Reception(
    () => this.#connections,
    (view) => this.shown.push(view),
  );
  #steps = 0;

  constructor(...ids: string[]) {
    for (const id of ids) this.#connections.set(id, { reception: this.connection(id) });
  }

  get view(): ReceptionView | undefined {
    return this.shown.at(-1);
  }

  connection(id: string) {
    const read = () => this.#entries(id);
    return {
      state: "connected" as const,
      lines: [{ source: "microphone" as const, transceiver: { mid: "0" } }],
      stats: {
        get latest() {
          return { at: milli(0), entries: read() };
        },
      },
    };
  }

  leave(id: string): void {
    this.#connections.delete(id);
  }

  /** `speaking`: who makes sound in these steps; "own" is this person. */
  pass(steps: number, speaking: readonly string[] = [], overloaded = false): void {
    for (let step = 0; step < steps; step++) {
      this.#steps++;
      for (const id of [...this.#connections.keys(), "own"]) {
        const power = speaking.includes(id) ? SPEECH : SILENCE;
        this.#energy.set(id, (this.#energy.get(id) ?? 0) + power / 2);
      }
      this.#reception.examine(overloaded);
    }
  }

  #entries(id: string): Stats[] {
    const seconds = this.#steps / 2;
    const sound = (of: string) => ({
      id: of,
      timestamp: 0,
      kind: "audio",
      totalAudioEnergy: this.#energy.get(of) ?? 0,
      totalSamplesDuration: seconds,
    });
    return [
      { ...sound(id), type: "inbound-rtp", mid: "0" },
      { ...sound("own"), type: "media-source" },
      { ...sound("none"), type: "outbound-rtp", mid: "0", mediaSourceId: "own" },
    ];
  }
}

test("who speaks shows at once, and gets the floor after a while", () => {
  const room = new Room("ada", "ben");
  room.pass(2);
  room.pass(1, ["ben"]);
  expect(room.view).toMatchObject({ speaking: ["ben"], speaker: null, speaksHere: false });
  room.pass(3, ["ben", "own"]);
  expect(room.view).toMatchObject({ speaking: ["ben"], speaker: "ben", speaksHere: true });
  room.pass(4);
  expect(room.view).toMatchObject({ speaking: [], speaker: "ben", speaksHere: false });
});

test("who leaves neither speaks nor has the floor", () => {
  const room = new Room("ada", "ben");
  room.pass(5, ["ben"]);
  expect(room.view?.speaker).toBe("ben");
  room.leave("ben");
  room.pass(1);
  expect(room.view).toMatchObject({ speaking: [], speaker: null });
  expect(Object.keys(room.view?.quality ?? {})).toEqual(["ada"]);
});

test("nothing shows again that has not changed, and a quality needs two steps in a row", () => {
  const room = new Room("ada");
  room.pass(3);
  const before = room.shown.length;
  room.pass(5);
  expect(room.shown.length).toBe(before);
  room.pass(1, [], true);
  expect(room.view?.quality.ada?.steps).toBe(3);
  room.pass(1, [], true);
  expect(room.view?.quality.ada).toEqual({ steps: 2, reason: "overloaded" });
});
