/** What stands in the page of who watches. */
interface Seen {
  /** When pictures turned white and when beeps began, milliseconds of the page's clock, since the last reading. */
  flashes: number[];
  beeps: number[];
}

/** Runs in the page, before its own scripts: every two seconds its camera sees white and its microphone hears a beep, at once. */
export function beatingDevices(): void {
  const [EVERY_MS, FOR_MS] = [2_000, 250];
  const canvas = Object.assign(document.createElement("canvas"), { width: 640, height: 360 });
  const drawn = canvas.getContext("2d");
  const context = new AudioContext({ sampleRate: 48_000 });
  const heard = new MediaStreamAudioDestinationNode(context);
  const volume = new GainNode(context, { gain: 0 });
  const tone = new OscillatorNode(context, { frequency: 1_000 });
  tone.connect(volume).connect(heard);
  tone.start();
  setInterval(() => {
    const isOn = performance.now() % EVERY_MS < FOR_MS;
    volume.gain.setValueAtTime(isOn ? 0.5 : 0, context.currentTime);
    if (drawn === null) return;
    drawn.fillStyle = isOn ? "#fff" : "#333";
    drawn.fillRect(0, 0, 640, 360);
    drawn.fillStyle = "#555";
    drawn.fillRect((performance.now() / 20) % 600, 160, 40, 40);
  }, 20);
  navigator.mediaDevices.getUserMedia = async ({ video, audio } = {}) =>
    new MediaStream([
      ...(video ? canvas.captureStream(20).getTracks() : []),
      ...(audio ? heard.stream.clone().getTracks() : []),
    ]);
}

/** Runs in the page, where its sound is tapped: from now on it notes when the picture turns white and when a beep begins. */
export function noteBeats(video: Element): void {
  const [QUIET, LOOK_MS, LOUD, WHITE] = [4_800, 300, 0.1, 180];
  const { taps } = globalThis as unknown as { taps: AnalyserNode[] };
  const seen: Seen = { flashes: [], beeps: [] };
  Object.assign(globalThis, { seen });
  const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  let wasWhite = true;
  const look = (_: number, { expectedDisplayTime }: VideoFrameCallbackMetadata) => {
    pixel?.drawImage(video as HTMLVideoElement, 0, 0, 1, 1);
    const isWhite = (pixel?.getImageData(0, 0, 1, 1).data[0] ?? 0) > WHITE;
    if (isWhite && !wasWhite) seen.flashes.push(expectedDisplayTime);
    wasWhite = isWhite;
    (video as HTMLVideoElement).requestVideoFrameCallback(look);
  };
  (video as HTMLVideoElement).requestVideoFrameCallback(look);
  let last = Number.NEGATIVE_INFINITY;
  setInterval(() => {
    for (const tap of taps) {
      const context = tap.context as AudioContext;
      const samples = new Float32Array(tap.fftSize);
      tap.getFloatTimeDomainData(samples);
      const end = context.currentTime;
      const { contextTime = 0, performanceTime = 0 } = context.getOutputTimestamp();
      let quiet = 0;
      for (const [at, sample] of samples.entries()) {
        if (Math.abs(sample) < LOUD) {
          quiet++;
          continue;
        }
        const time = end - (samples.length - at) / context.sampleRate;
        // The same beep lies in several looks.
        if (quiet > QUIET && time > last + 1) {
          last = time;
          seen.beeps.push(performanceTime + 1_000 * (time - contextTime));
        }
        quiet = 0;
      }
    }
  }, LOOK_MS);
}

/** Runs in the page. Milliseconds by which each beep came after its picture, since the last reading. */
export function takeSkews(): number[] {
  const { seen } = globalThis as unknown as { seen: Seen };
  const FAR_MS = 900;
  const skews = seen.beeps.flatMap((beep) => {
    const nearest = seen.flashes.map((flash) => beep - flash).sort((a, b) => Math.abs(a) - Math.abs(b))[0];
    return nearest === undefined || Math.abs(nearest) > FAR_MS ? [] : [nearest];
  });
  seen.beeps.length = 0;
  seen.flashes.length = 0;
  return skews;
}
