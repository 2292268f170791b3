import { SHOWN } from "./stage/expect.ts";
import { expect, test } from "./stage/test.ts";

test("the speaker is tried in the lobby: two notes go to the one that is chosen; one that is gone is said to be", async ({
  server,
  person,
}) => {
  const ada = await person("Ada", { before: keepPlayed });
  await ada.page.goto(server.url);
  await ada.page.getByRole("button", { name: "Start a call" }).click();
  const speaker = ada.page.getByRole("combobox", { name: "Speaker" });
  await speaker.selectOption({ index: 1 });
  const button = ada.page.getByRole("button", { name: "Test the speaker" });
  await button.click();
  await expect(ada.page.getByText("Heard nothing?")).toBeVisible(SHOWN);
  const { sinks, loudest } = await ada.page.evaluate(played);
  expect(sinks.at(-1)).toBe(await speaker.inputValue());
  expect(sinks.at(-1)).not.toBe("");
  expect(loudest).toBeGreaterThan(0.05);

  await ada.page.evaluate(() => {
    HTMLAudioElement.prototype.setSinkId = () => Promise.reject(new DOMException("", "NotFoundError"));
  });
  await button.click();
  await expect(ada.page.getByText("The sound could not be played there.")).toBeVisible(SHOWN);
});

interface Kept {
  sinks: string[];
  loudest: number;
}

/** Runs in the page. */
function played(): Kept {
  return (globalThis as unknown as { kept: Kept }).kept;
}

/** Runs in the page before its own scripts: where sounds go, and how loud they are, is kept. */
function keepPlayed(): void {
  const kept: Kept = { sinks: [], loudest: 0 };
  Object.assign(globalThis, { kept });
  const { setSinkId, play } = HTMLMediaElement.prototype;
  HTMLAudioElement.prototype.setSinkId = function (id: string) {
    kept.sinks.push(id);
    return setSinkId.call(this, id);
  };
  HTMLAudioElement.prototype.play = function () {
    if (this.srcObject instanceof MediaStream) listen(this.srcObject);
    return play.call(this);
  };
  const listen = (stream: MediaStream) => {
    const context = new AudioContext();
    const analyser = new AnalyserNode(context, { fftSize: 2_048 });
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      kept.loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), kept.loudest);
    }, 20);
  };
}
