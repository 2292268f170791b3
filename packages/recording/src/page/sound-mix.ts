import { SOUND } from "../shared/messages.ts";

/** One track of the sound of several, that of others at any time. */
export class SoundMix {
  readonly #context = new AudioContext({ sampleRate: SOUND.sampleRate });
  readonly #mixed: MediaStreamAudioDestinationNode;
  readonly #heard = new Map<MediaStreamTrack, MediaStreamAudioSourceNode>();

  constructor() {
    this.#mixed = new MediaStreamAudioDestinationNode(this.#context, {
      channelCount: SOUND.channels,
      channelCountMode: "explicit",
    });
  }

  get track(): MediaStreamTrack {
    const [track] = this.#mixed.stream.getAudioTracks();
    if (track === undefined) throw new Error("This browser mixes no sound.");
    return track;
  }

  /** Nobody else is heard from now on. The tracks stay the caller's. */
  hear(tracks: ReadonlySet<MediaStreamTrack>): void {
    for (const [track, node] of this.#heard) {
      if (tracks.has(track)) continue;
      node.disconnect();
      this.#heard.delete(track);
    }
    for (const track of tracks) {
      if (this.#heard.has(track)) continue;
      const node = new MediaStreamAudioSourceNode(this.#context, { mediaStream: new MediaStream([track]) });
      node.connect(this.#mixed);
      this.#heard.set(track, node);
    }
  }

  /** Browsers let sound begin only where the person has done something on the page: silence until then. */
  start(): void {
    this.#context.resume().catch(() => undefined);
  }

  close(): void {
    this.track.stop();
    this.#context.close().catch(() => undefined);
  }
}
