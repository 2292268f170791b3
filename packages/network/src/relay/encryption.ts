import type { BaseE2EEManager, LocalTrack, Room } from "livekit-client";
import { ParticipantEvent } from "livekit-client";

/** What LiveKit says of a sender that it has just made: on its first connection and on each later one. */
export type SenderCreated = (sender: RTCRtpSender, track: LocalTrack) => void;

/** Longest mark that is taken from a server, bytes. Those of 1.13.5 are below 64. */
const MAX_MARK = 256;

/**
 * Stands where LiveKit's own encryption would (`RoomOptions.encryption`): with it in place, LiveKit makes its connections so
 * that no frame passes before a transform is there, says of each sender it makes, and marks what is published as encrypted, so
 * that servers leave the payload alone. It seals nothing itself. LiveKit's data channels carry nothing: what comes over
 * them is refused.
 */
export class RelayEncryption implements BaseE2EEManager {
  isEnabled = true;
  isDataChannelEncryptionEnabled = false;
  readonly #created: SenderCreated;
  /** Ends each frame that the server makes up itself: silence, and blank video. */
  mark: Uint8Array<ArrayBuffer> = new Uint8Array();

  constructor(created: SenderCreated) {
    this.#created = created;
  }

  setup(room: Room): void {
    room.localParticipant.on(ParticipantEvent.LocalSenderCreated, (sender, track) => {
      this.#created(sender, track as LocalTrack);
    });
  }

  setupEngine(): void {}

  setParticipantCryptorEnabled(): void {}

  setSifTrailer(mark: Uint8Array): void {
    this.mark = mark.length > MAX_MARK ? new Uint8Array() : new Uint8Array(mark);
  }

  encryptData(): Promise<never> {
    return Promise.reject(new Error("Nothing is said over a relay's data channels."));
  }

  handleEncryptedData(): Promise<never> {
    return Promise.reject(new Error("Nothing is said over a relay's data channels."));
  }

  on(): this {
    return this;
  }
}
