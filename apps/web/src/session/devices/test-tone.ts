/** Two notes, one after the other, each this long. */
const NOTES_HZ = [440, 660];
const NOTE_S = 0.45;
const LOUDNESS = 0.2;

/**
 * Plays two soft notes on this loudspeaker; `deviceId` "" is the browser's own choice.
 * @returns once they have been played; rejects where the browser does not play there.
 */
export async function playTestTone(deviceId: string): Promise<void> {
  const context = new AudioContext();
  const output = context.createMediaStreamDestination();
  const player = new Audio();
  player.srcObject = output.stream;
  try {
    if (deviceId !== "" && "setSinkId" in player) await player.setSinkId(deviceId);
    await context.resume();
    await player.play();
    const begin = context.currentTime + 0.05;
    const notes = NOTES_HZ.map((hertz, at) => note(context, output, hertz, begin + at * NOTE_S));
    await Promise.all(notes.map((one) => new Promise((resolve) => one.addEventListener("ended", resolve))));
  } finally {
    player.pause();
    player.srcObject = null;
    await context.close();
  }
}

/** Swells and fades, since a tone that begins at once clicks. */
function note(context: AudioContext, output: AudioNode, hertz: number, at: number): OscillatorNode {
  const tone = new OscillatorNode(context, { frequency: hertz });
  const loudness = new GainNode(context, { gain: 0 });
  loudness.gain.setValueAtTime(0, at);
  loudness.gain.linearRampToValueAtTime(LOUDNESS, at + 0.04);
  loudness.gain.setValueAtTime(LOUDNESS, at + NOTE_S - 0.1);
  loudness.gain.linearRampToValueAtTime(0, at + NOTE_S);
  tone.connect(loudness).connect(output);
  tone.start(at);
  tone.stop(at + NOTE_S);
  return tone;
}
