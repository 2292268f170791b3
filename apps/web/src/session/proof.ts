import type { MediaPool, TrackReport } from "@sealcast/media";
import type { Peer, PeerLine } from "./peer.ts";
import type { Encryption, TrackProof } from "./view.ts";

/** What the browser itself says of a media line, beside what our workers say. */
interface Counted {
  sent: number;
  received: number;
  /** Frames that reached the decoder, where the browser counts them. */
  decoded: number | null;
}

type Cause = Encryption["causes"][number];

/**
 * Compares the workers' counters with the browser's own. The browser is asked first: a frame that it counted and no
 * worker did went out, or came in, without passing through a transform.
 */
export class Proof {
  readonly #pool: MediaPool;
  /** Counters at the last comparison, by attachment. */
  #last = new Map<string, { frames: number; refused: number }>();

  constructor(pool: MediaPool) {
    this.#pool = pool;
  }

  async compare(peers: Peer[], epoch: number | null): Promise<Encryption> {
    const counted = await Promise.all(peers.map((peer) => count(peer)));
    const reports = await this.#pool.report();
    const rows = peers.flatMap((peer, at) =>
      peer.lines.map((line) => {
        const seen = counted[at]?.get(line) ?? { sent: 0, received: 0, decoded: null };
        return { peer, line, seen, out: reports.get(line.sent.id) ?? null, in: reports.get(line.received.id) ?? null };
      }),
    );
    const causes = rows.flatMap(({ peer, line, seen, ...row }) => [
      ...this.#sentCauses(peer, line, row.out, seen),
      ...this.#receivedCauses(peer, line, row.in, seen),
    ]);
    this.#last = new Map(
      [...reports].map(([id, report]) => [id, { frames: report.frames, refused: refusals(report) }]),
    );
    const tracks = rows.flatMap(({ peer, line, seen, ...row }) => [
      describe(peer, line, "sent", row.out, seen.sent),
      describe(peer, line, "received", row.in, seen.received),
    ]);
    return { state: causes.length > 0 ? "failing" : "encrypted", causes, epoch, tracks };
  }

  #sentCauses(peer: Peer, line: PeerLine, report: TrackReport | null, { sent }: Counted): Cause[] {
    const unsealed = sent - (report?.frames ?? 0);
    const causes = this.#stuck(peer, line, report);
    if (unsealed > 0) causes.push(cause(peer, line, report, "sent-unsealed", unsealed));
    return causes;
  }

  #receivedCauses(peer: Peer, line: PeerLine, report: TrackReport | null, { decoded }: Counted): Cause[] {
    const unopened = (decoded ?? 0) - (report?.frames ?? 0);
    const causes = this.#stuck(peer, line, report);
    if (unopened > 0) causes.push(cause(peer, line, report, "played-unopened", unopened));
    return causes;
  }

  /** Frames come and none of them passes: named by each reason. */
  #stuck(peer: Peer, line: PeerLine, report: TrackReport | null): Cause[] {
    const last = report && this.#last.get(report.id);
    if (!report || !last || report.frames > last.frames || refusals(report) === last.refused) return [];
    return report.refused
      .filter(({ why }) => why !== "empty")
      .map(({ why, epoch, count }) => ({ ...cause(peer, line, report, why, count), epoch }));
  }
}

function cause(peer: Peer, line: PeerLine, report: TrackReport | null, why: string, count: number): Cause {
  return { who: peer.name ?? "", track: line.source, epoch: report?.epoch ?? null, why, count };
}

/** Zero-length frames are made by some browsers and hold nothing: they are no sign of trouble. */
function refusals(report: TrackReport): number {
  return report.refused.reduce((sum, { why, count }) => sum + (why === "empty" ? 0 : count), 0);
}

function describe(
  peer: Peer,
  line: PeerLine,
  direction: TrackProof["direction"],
  report: TrackReport | null,
  counted: number,
): TrackProof {
  const dropped: Record<string, number> = {};
  for (const { why, count } of report?.refused ?? []) dropped[why] = (dropped[why] ?? 0) + count;
  return {
    key: direction === "sent" ? line.sent.id : line.received.id,
    who: peer.name ?? "",
    direction,
    kind: line.kind,
    codec: report?.codec ?? null,
    epoch: report?.epoch ?? null,
    frames: report?.frames ?? 0,
    counted,
    dropped,
    p50: report?.p50 ?? 0,
    p95: report?.p95 ?? 0,
    overhead: report?.overhead ?? 0,
  };
}

async function count(peer: Peer): Promise<Map<PeerLine, Counted>> {
  const stats: RTCStats[] = [...(await peer.link.connection.getStats()).values()];
  return new Map(peer.lines.map((line) => [line, countLine(stats, line)]));
}

function countLine(stats: RTCStats[], { transceiver: { mid }, kind }: PeerLine): Counted {
  const out = ofLine<RTCOutboundRtpStreamStats>(stats, "outbound-rtp", mid);
  const into = ofLine<RTCInboundRtpStreamStats>(stats, "inbound-rtp", mid);
  const video = kind === "video";
  return {
    sent: sum(out.map((entry) => (video ? entry.framesSent : entry.packetsSent))),
    received: sum(into.map((entry) => (video ? entry.framesReceived : entry.packetsReceived))),
    decoded: video ? sum(into.map((entry) => entry.framesDecoded)) : null,
  };
}

function ofLine<T extends RTCStats & { mid?: string }>(stats: RTCStats[], type: RTCStatsType, mid: string | null): T[] {
  return stats.filter((entry): entry is T => entry.type === type && (entry as T).mid === mid);
}

function sum(numbers: (number | undefined)[]): number {
  return numbers.reduce<number>((total, next) => total + (next ?? 0), 0);
}
