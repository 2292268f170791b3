import { expect, test } from "vitest";
import { playTestTone } from "./test-tone.ts";

test("two notes are heard on the speaker that was chosen, and nothing stays open after them", async () => {
  const { setSinkId, play } = HTMLMediaElement.prototype;
  const sinks: string[] = [];
  const levels: number[] = [];
  const players: HTMLMediaElement[] = [];
  HTMLMediaElement.prototype.setSinkId = async (id: string) => void sinks.push(id);
  HTMLMediaElement.prototype.play = function (this: HTMLMediaElement) {
    players.push(this);
    if (this.srcObject instanceof MediaStream) listen(this.srcObject, levels);
    return play.call(this);
  };
  try {
    await playTestTone("loudspeaker");
  } finally {
    Object.assign(HTMLMediaElement.prototype, { setSinkId, play });
  }
  expect(sinks).toEqual(["loudspeaker"]);
  expect(Math.max(...levels), "the loudest that was heard").toBeGreaterThan(0.05);
  expect(players.map(({ paused, srcObject }) => [paused, srcObject])).toEqual([[true, null]]);
});

test("a speaker that is gone is said to be", async () => {
  await expect(playTestTone("no such speaker")).rejects.toThrow();
});

/** Keeps how loud it is now and then. */
function listen(stream: MediaStream, levels: number[]): void {
  const context = new AudioContext();
  const analyser = new AnalyserNode(context, { fftSize: 2_048 });
  context.createMediaStreamSource(stream).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples);
    levels.push(samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0));
    if (!stream.active) clearInterval(timer);
  }, 20);
}
