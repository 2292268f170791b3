import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SoundTrack, type SoundWriter } from "./sound-track.ts";

const RATE = 48_000;

class Writer implements SoundWriter {
  /** What is at each place, in order: "sound" with its mark, or "silence". */
  readonly written: { what: string; at: number; samples: number }[] = [];

  sound(data: AudioData, at: number): void {
    this.written.push({ what: `sound ${data.timestamp}`, at, samples: data.numberOfFrames });
    data.close();
  }

  silence(at: number, samples: number): void {
    this.written.push({ what: "silence", at, samples });
  }

  get end(): number {
    return this.written.reduce((sum, { samples }) => sum + samples, 0);
  }
}

let open = 0;

/** Ten milliseconds of sound, by its own clock. */
function piece(milliseconds: number, samples = RATE / 100): AudioData {
  open++;
  const close = () => void open--;
  return { timestamp: milliseconds * 1_000, numberOfFrames: samples, close } as unknown as AudioData;
}

function expectSeamless({ written }: Writer): void {
  let end = 0;
  for (const { at, samples } of written) {
    expect(at).toBe(end);
    end += samples;
  }
}

describe("SoundTrack", () => {
  test("puts pieces one after the other, whatever small jitter their times have", () => {
    const writer = new Writer();
    const track = new SoundTrack(writer);
    for (let n = 0; n < 100; n++) track.take(piece(7_000 + 10 * n + (n % 3) * 4), (10 * n + 10) / 1_000);
    expect(writer.written.every(({ what }) => what !== "silence")).toBe(true);
    expect(writer.end).toBe(RATE);
    expectSeamless(writer);
  });

  test("fills a gap in the pieces' times with silence", () => {
    const writer = new Writer();
    const track = new SoundTrack(writer);
    track.take(piece(0), 0.01);
    track.take(piece(200), 0.21);
    expect(writer.written.map(({ what, at }) => [what, at])).toEqual([
      ["sound 0", 0],
      ["silence", 480],
      ["sound 200000", 9_600],
    ]);
  });

  test("leaves out what belongs where sound already is", () => {
    const writer = new Writer();
    const track = new SoundTrack(writer);
    for (let n = 0; n < 20; n++) track.take(piece(10 * n), (10 * n + 10) / 1_000);
    track.take(piece(20), 0.21);
    expect(writer.written.length).toBe(20);
    expect(open).toBe(0);
  });

  test("is silent where no sound comes for half a second, and goes on where sound comes again", () => {
    const writer = new Writer();
    const track = new SoundTrack(writer);
    track.keepUp(0.4);
    expect(writer.end).toBe(0);
    track.keepUp(0.6);
    expect(writer.written).toEqual([{ what: "silence", at: 0, samples: 0.6 * RATE }]);
    track.take(piece(90_000), 1);
    expect(writer.end).toBe(RATE);
    expectSeamless(writer);
  });

  test("takes no time for what was left out", () => {
    const writer = new Writer();
    const track = new SoundTrack(writer);
    track.take(piece(0), 0.01);
    track.cut();
    track.take(piece(60_000), 0.02);
    expect(writer.end).toBe(960);
    expect(writer.written.map(({ what }) => what)).toEqual(["sound 0", "sound 60000000"]);
  });

  test("is as far behind as the piece that came fastest: what waited in between belongs where it was", () => {
    const writer = new Writer();
    const track = new SoundTrack(writer);
    // All of them at once, after they had waited for the thread.
    for (let n = 0; n < 40; n++) track.take(piece(10 * n), 0.4);
    for (let n = 40; n < 60; n++) track.take(piece(10 * n), (10 * n + 10) / 1_000);
    expect(writer.end).toBeLessThanOrEqual(0.65 * RATE);
    expectSeamless(writer);
  });

  test("ends where the recording ends", () => {
    const writer = new Writer();
    const track = new SoundTrack(writer);
    track.take(piece(0), 0.01);
    track.finish(0.25);
    expect(writer.end).toBe(0.25 * RATE);
  });

  test("has neither gaps nor overlaps, gives back each piece, and stays near the recording's time", () => {
    const step = fc.record({ later: fc.nat(300), jump: fc.integer({ min: -200, max: 3_000 }), isCut: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const writer = new Writer();
        const track = new SoundTrack(writer);
        let [now, own] = [0, 5_000];
        for (const { later, jump, isCut } of steps) {
          now += later;
          own += later + jump;
          if (isCut) track.cut();
          track.keepUp(now / 1_000);
          track.take(piece(own), now / 1_000);
        }
        track.finish(now / 1_000);
        expectSeamless(writer);
        expect(writer.end).toBeGreaterThanOrEqual(Math.round((now / 1_000) * RATE));
        expect(writer.end).toBeLessThanOrEqual(((now + 60) / 1_000) * RATE);
        expect(open).toBe(0);
      }),
    );
  });
});
