import { type Clock, type Milli, milli } from "@sealcast/time";

/** What of getStats() is read here; the types of the platform do not know all of it. Times are seconds. */
export interface Stats extends RTCStats {
  kind?: string;
  mid?: string;
  /** Of what is sent: the entry of what it is made from. */
  mediaSourceId?: string;
  nominated?: boolean;
  selectedCandidatePairId?: string;
  localCandidateId?: string;
  remoteCandidateId?: string;
  candidateType?: string;
  protocol?: string;
  relayProtocol?: string;
  currentRoundTripTime?: number;
  availableOutgoingBitrate?: number;
  bytesSent?: number;
  bytesReceived?: number;
  packetsReceived?: number;
  packetsLost?: number;
  fractionLost?: number;
  jitter?: number;
  frameWidth?: number;
  frameHeight?: number;
  framesEncoded?: number;
  framesDecoded?: number;
  framesSent?: number;
  framesReceived?: number;
  packetsSent?: number;
  totalEncodeTime?: number;
  totalDecodeTime?: number;
  totalPacketSendDelay?: number;
  totalProcessingDelay?: number;
  totalAssemblyTime?: number;
  jitterBufferDelay?: number;
  jitterBufferEmittedCount?: number;
  totalPlayoutDelay?: number;
  totalSamplesCount?: number;
  totalAudioEnergy?: number;
  totalSamplesDuration?: number;
  totalSamplesReceived?: number;
  concealedSamples?: number;
  silentConcealedSamples?: number;
}

/** What the browser counted of one connection. */
interface Reading {
  /** When, by the clock of the page; NaN before the first one. */
  readonly at: Milli;
  readonly entries: readonly Stats[];
}

/**
 * The browser's own counters of one connection. To read them costs the browser time on each connection, so one reads, twice a second
 * (the audit, which has to ask the browser before it asks workers), and others take the last reading.
 */
export class LinkStats {
  readonly #connection: Pick<RTCPeerConnection, "getStats">;
  readonly #clock: Clock;
  #latest: Reading = { at: milli(Number.NaN), entries: [] };

  constructor(connection: Pick<RTCPeerConnection, "getStats">, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** Of the last `read`; no entries before the first one, and once the connection is closed. */
  get latest(): Reading {
    return this.#latest;
  }

  async read(): Promise<Reading> {
    // Rejects once the connection is closed.
    const report = await this.#connection.getStats().catch(() => null);
    const entries = report === null ? [] : [...(report.values() as Iterable<Stats>)];
    this.#latest = { at: this.#clock.now(), entries };
    return this.#latest;
  }
}
