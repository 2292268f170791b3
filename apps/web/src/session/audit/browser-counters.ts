import type { Attachment, MediaKind, TrackReport } from "@sealcast/media";
import type { LineSource, LinkState, PeerLink } from "@sealcast/network";
import type { LinkStats } from "../peer/link-stats.ts";

export type MediaDirection = "sent" | "received";

/** A connection whose media is held against the browser's counters. */
export interface Proven {
  readonly name: string | null;
  readonly state: LinkState;
  /** Without, another way is not looked for. */
  readonly link?: Pick<PeerLink, "restart">;
  readonly stats: Pick<LinkStats, "read" | "latest">;
  readonly lines: readonly ProvenLine[];
}

/** One media line of it. Null where nothing goes that way. */
export interface ProvenLine {
  readonly source: LineSource;
  readonly kind: MediaKind;
  readonly transceiver: Pick<RTCRtpTransceiver, "mid">;
  readonly sent: Attachment | null;
  readonly received: Attachment | null;
  /** It goes over the media relay, which also sends packets with nothing in them. */
  readonly isRelayed?: boolean;
}

/** What the browser itself says of one direction of a media line. */
export interface BrowserCounters {
  /** Frames (of audio: packets) sent, or received. */
  wire: number;
  /**
   * Packets received, or frames that the encoder made: what must have come to the transform; null where not counted. Of
   * pictures received, those that came for the first time: what comes again may be empty, to try out how much the way can
   * carry, and a new link gets dozens of these before its first picture.
   */
  before: number | null;
  /**
   * Frames that the encoder handed on, or that were decoded; null where not counted. Of sound sent, bytes: browsers also
   * send empty packets, to try out how much the way can carry, and count those as packets.
   */
  after: number | null;
  /** Of sound: of its packets without their headers, and without those sent again. Of pictures 0: they are compared as frames. */
  bytes: number;
  /** Frames received and neither decoded nor dropped yet; 0 where not counted. A busy computer decodes them seconds later. */
  waiting: number;
}

/** One direction of a media line at one moment: our worker's counters beside the browser's. */
export interface Sample {
  peer: Pick<Proven, "name" | "state" | "link">;
  line: Pick<ProvenLine, "source" | "kind" | "isRelayed">;
  direction: MediaDirection;
  attachment: Attachment;
  /** The attachment's, at the time of the sample. */
  renewals: number;
  report: TrackReport | null;
  counted: BrowserCounters;
  /** Frames passed, and refused for a reason that has to do with their seal, since the transform was set. */
  passed: number;
  refused: number;
  /** Frames left out since they waited too long, since the transform was set. */
  late: number;
  /** Stand-ins that went nowhere, since the transform was set. */
  leftOut: number;
}

const NOTHING: BrowserCounters = { wire: 0, before: 0, after: 0, bytes: 0, waiting: 0 };

/** One direction's counts over the whole call: Firefox begins again at 0 at every change of codec. */
export class Total {
  #now: BrowserCounters = NOTHING;
  #earlier: BrowserCounters = NOTHING;

  /** `counted`: what the browser says now, null when it says nothing. */
  of(counted: BrowserCounters | null): BrowserCounters {
    if (counted !== null) {
      if (counted.wire < this.#now.wire) this.#earlier = plus(this.#earlier, this.#now);
      this.#now = counted;
    }
    return plus(this.#earlier, this.#now);
  }
}

/** What waited when the browser began at 0 again is lost. */
function plus(earlier: BrowserCounters, now: BrowserCounters): BrowserCounters {
  const add = (one: number | null, other: number | null) => (one === null || other === null ? null : one + other);
  return {
    wire: earlier.wire + now.wire,
    before: add(earlier.before, now.before),
    after: add(earlier.after, now.after),
    bytes: earlier.bytes + now.bytes,
    waiting: now.waiting,
  };
}

type Measured = Pick<ProvenLine, "transceiver" | "kind" | "isRelayed">;

/** Null before the browser counts that line. */
export function countSent(
  stats: readonly RTCStats[],
  { transceiver: { mid }, kind }: Measured,
): BrowserCounters | null {
  const out = ofLine<RTCOutboundRtpStreamStats>(stats, "outbound-rtp", mid);
  if (out.length === 0) return null;
  if (kind === "audio") {
    const bytes = sum(out.map(({ bytesSent = 0, retransmittedBytesSent = 0 }) => bytesSent - retransmittedBytesSent));
    return { wire: sum(out.map((entry) => entry.packetsSent)), before: null, after: bytes, bytes, waiting: 0 };
  }
  const sent = sum(out.map((entry) => entry.framesSent));
  return { wire: sent, before: sum(out.map((entry) => entry.framesEncoded)), after: sent, bytes: 0, waiting: 0 };
}

/** Null before the browser counts that line. */
export function countReceived(
  stats: readonly RTCStats[],
  { transceiver: { mid }, kind, isRelayed = false }: Measured,
): BrowserCounters | null {
  const into = ofLine<RTCInboundRtpStreamStats>(stats, "inbound-rtp", mid);
  if (into.length === 0) return null;
  const packets = sum(into.map((entry) => entry.packetsReceived));
  if (kind === "audio") {
    const bytes = sum(
      into.map(({ bytesReceived = 0, retransmittedBytesReceived = 0 }) => bytesReceived - retransmittedBytesReceived),
    );
    return { wire: packets, before: isRelayed ? null : packets, after: null, bytes, waiting: 0 };
  }
  const received = sum(into.map((entry) => entry.framesReceived));
  const decoded = sum(into.map((entry) => entry.framesDecoded));
  return {
    wire: received,
    before: isRelayed ? null : packets - sum(into.map((entry) => entry.retransmittedPacketsReceived)),
    after: decoded,
    bytes: 0,
    waiting: Math.max(received - decoded - sum(into.map((entry) => entry.framesDropped)), 0),
  };
}

function ofLine<T extends RTCStats & { mid?: string }>(
  stats: readonly RTCStats[],
  type: RTCStatsType,
  mid: string | null,
): T[] {
  return stats.filter((entry): entry is T => entry.type === type && (entry as T).mid === mid);
}

function sum(numbers: (number | undefined)[]): number {
  return numbers.reduce<number>((total, next) => total + (next ?? 0), 0);
}
