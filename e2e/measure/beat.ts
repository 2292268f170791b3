/** What stands in the page of who watches. */
interface Seen {
  /** When pictures turned white and when beeps began, milliseconds of the page's clock, since the last reading. */
  flashes: number[];
  beeps: number[];
}

/** Runs in the page, before its own scripts: every two seconds its camera sees white and its microphone hears a beep, at once. */
export function beatingDevices(): void {
  const [EVERY_MS, FOR_MS, PICTURE_MS] = [2_000, 300, 50];
  const canvas = Object.assign(document.createElement("canvas"), { width: 320, height: 180 });
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
    drawn.fillRect(0, 0, canvas.width, canvas.height);
    drawn.fillStyle = "#555";
    drawn.fillRect((performance.now() / 20) % 300, 80, 20, 20);
  }, PICTURE_MS);
  navigator.mediaDevices.getUserMedia = async ({ video, audio } = {}) =>
    new MediaStream([
      ...(video ? canvas.captureStream().getTracks() : []),
      ...(audio ? heard.stream.clone().getTracks() : []),
    ]);
}

/** Runs in the page, where its sound is tapped: from now on it notes when the stream's picture turns white and when a beep begins. */
export function noteBeats(): void {
  const seen: Seen = { flashes: [], beeps: [] };
  Object.assign(globalThis, { seen });
  notePictures();
  setInterval(noteSound, 300);

  /** A stream that begins again may have another element. */
  function notePictures(): void {
    const WHITE = 180;
    const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    let [watched, wasWhite]: [HTMLVideoElement | null, boolean] = [null, true];
    const look = (video: HTMLVideoElement, { expectedDisplayTime }: VideoFrameCallbackMetadata) => {
      pixel?.drawImage(video, 0, 0, 1, 1);
      const isWhite = (pixel?.getImageData(0, 0, 1, 1).data[0] ?? 0) > WHITE;
      if (isWhite && !wasWhite) seen.flashes.push(expectedDisplayTime);
      wasWhite = isWhite;
      follow(video);
    };
    const follow = (video: HTMLVideoElement) =>
      void video.requestVideoFrameCallback((_, metadata) => video === watched && look(video, metadata));
    setInterval(() => {
      const video = document.querySelector<HTMLVideoElement>('video[aria-label="Live stream"]');
      if (video === null || video === watched) return;
      watched = video;
      follow(video);
    }, 300);
  }

  function noteSound(): void {
    const [QUIET, LOUD] = [4_800, 0.1];
    const { taps } = globalThis as unknown as { taps: AnalyserNode[] };
    const tap = taps.at(-1);
    if (tap === undefined) return;
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
      const time = performanceTime + 1_000 * (end - (samples.length - at) / context.sampleRate - contextTime);
      // The same beep lies in several looks.
      if (quiet > QUIET && time > (seen.beeps.at(-1) ?? 0) + 1_000) seen.beeps.push(time);
      quiet = 0;
    }
  }
}

/** Runs in the page. Milliseconds by which each beep came after its picture, since the last reading. */
export function takeSkews(): number[] {
  const { seen } = globalThis as unknown as { seen: Seen };
  const FAR_MS = 900;
  const skews = seen.beeps.flatMap((beep) => {
    const nearest = seen.flashes.map((flash) => beep - flash).sort((a, b) => Math.abs(a) - Math.abs(b))[0];
    return nearest === undefined || Math.abs(nearest) > FAR_MS ? [] : [nearest];
  });
  // The last beep is known again at the next look.
  seen.beeps.splice(0, seen.beeps.length - 1);
  seen.flashes.length = 0;
  return skews;
}
