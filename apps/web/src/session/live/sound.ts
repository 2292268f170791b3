/** What viewers hear: the microphone and the sound of a screen, in one track. The tracks that go in stay the caller's. */
export class StreamSound {
  #mixed: { context: AudioContext; into: MediaStreamAudioDestinationNode } | null = null;
  #from: { track: MediaStreamTrack; node: MediaStreamAudioSourceNode }[] = [];

  /** The one track that there is, or both mixed; null where there is none. */
  mix(tracks: readonly MediaStreamTrack[]): MediaStreamTrack | null {
    if (tracks.length < 2) {
      this.close();
      return tracks[0] ?? null;
    }
    const { context, into } = this.#mixer();
    for (const { track, node } of this.#from) if (!tracks.includes(track)) node.disconnect();
    this.#from = tracks.map((track) => {
      const known = this.#from.find((one) => one.track === track);
      if (known !== undefined) return known;
      const node = context.createMediaStreamSource(new MediaStream([track]));
      node.connect(into);
      return { track, node };
    });
    return into.stream.getAudioTracks()[0] ?? null;
  }

  close(): void {
    void this.#mixed?.context.close();
    this.#mixed = null;
    this.#from = [];
  }

  #mixer() {
    if (this.#mixed !== null) return this.#mixed;
    const context = new AudioContext();
    this.#mixed = { context, into: context.createMediaStreamDestination() };
    return this.#mixed;
  }
}
