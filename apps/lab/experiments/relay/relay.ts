import type { Sighting } from "@sealcast/latency/figures";

/** What a page and the command say to each other of a call through a LiveKit server. */

/** Who encrypts: nobody, livekit-client's worker, or the product's, handed every sender and receiver by its relay connection. */
export type RelayArm = "plain" | "LiveKit's encryption" | "ours";

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** What everybody sends, and sees of one other person. */
export interface RelayPicture extends PictureSize {
  readonly frameRate: number;
  readonly bitsPerSecond: number;
}

export interface RelayTerms {
  readonly arm: RelayArm;
  readonly url: string;
  readonly token: string;
  /** This page's place among the people, from 0. Each has it in its identity. */
  readonly leaf: number;
  readonly people: number;
  /** 32 bytes. */
  readonly key: Uint8Array<ArrayBuffer>;
  readonly simulcast: boolean;
  readonly picture: RelayPicture;
}

/** What a page saw of whom it shows large in some seconds. */
export interface RelaySeen {
  readonly pictures: Sighting[];
  readonly freezes: number;
  /** Of whom it sees least of all others. */
  readonly fpsLeast: number;
  readonly height: number;
}

/** What the command asks of a page in this experiment. */
export interface RelayPage {
  /** Joins and sends the camera's picture; done when the relay takes it. */
  relayJoin(terms: RelayTerms): Promise<void>;
  /** Of how many others a picture was shown, and how tall the large one is. */
  relayShown(): Promise<{ others: number; height: number }>;
  relayWatch(ms: number): Promise<RelaySeen>;
  /** Has the large picture come in a small size, and in the large one again: for how long it stood still at most, milliseconds. */
  relaySwitch(): Promise<number>;
  relayEnd(): Promise<void>;
}

/** A LiveKit identity of the lab's. */
export const identityOf = (leaf: number): string => `leaf-${leaf}`;
export const leafOf = (identity: string): number => Number(identity.slice("leaf-".length));
