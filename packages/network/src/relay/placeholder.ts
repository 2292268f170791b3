/** LiveKit makes as many sizes of a video as its width gives. */
export interface PlaceholderSize {
  readonly width: number;
  readonly height: number;
}

/**
 * [Note: Placeholders] A track that LiveKit is given in a device's place: grey, or silent. LiveKit switches tracks on and off, also when
 * its server says so, and to make a track its own switches it on: a microphone that was muted would be heard. So it never
 * sees a device's track. That goes onto the sender past it, once frames are sealed there.
 */
export interface Placeholder {
  readonly track: MediaStreamTrack;
  close(): void;
}

export function placeholder(kind: "audio" | "video", size: PlaceholderSize): Placeholder {
  return kind === "audio" ? silence() : grey(size);
}

function silence(): Placeholder {
  const context = new AudioContext();
  const destination = context.createMediaStreamDestination();
  // A destination without a source gives nothing in Chromium, not even silence.
  const source = new ConstantSourceNode(context, { offset: 0 });
  source.connect(destination);
  source.start();
  const [track] = destination.stream.getAudioTracks();
  if (track === undefined) throw new Error("A destination has a track.");
  const close = () => {
    track.stop();
    void context.close();
  };
  return { track, close };
}

function grey({ width, height }: PlaceholderSize): Placeholder {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  // Without a context there is nothing to capture.
  canvas.getContext("2d")?.fillRect(0, 0, width, height);
  const [track] = canvas.captureStream(0).getVideoTracks();
  if (track === undefined) throw new Error("A canvas's stream has a track.");
  return { track, close: () => track.stop() };
}
