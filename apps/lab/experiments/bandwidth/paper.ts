import { paperFigure } from "../../src/shared/papers.ts";
import type { NodeCipher, PacketLoad, PageCipher } from "./bandwidth.ts";

/** What "Research on the Performance of Encryption Techniques for High-Bandwidth Multicast Video Streaming" measures. */

/** Its packets, whose Te it shows as bars (figures 7 to 9) and never as numbers, and those of its sweep (figure 10). */
export const TEXT = { name: "text", packets: 10_000, load: 15 } as const;
export const AUDIO = { name: "audio", packets: 200, load: 500 } as const;
export const VIDEO = { name: "video", packets: 100, load: 1024 } as const;
export const SWEPT = { name: "sweep", packets: 10_000, load: 1324 } as const;

/** The paper's row beside a cipher. Its AES has a key of 128 bits and an unnamed mode. */
export const PAPER_ROWS: Readonly<Partial<Record<NodeCipher | PageCipher, string>>> = {
  "AES-256-GCM": "AES-128",
  "AES-128-GCM": "AES-128",
  "DES-CBC (broken)": "DES-56 (broken)",
  "RC4 (broken)": "RC4-128 (broken)",
};

/** The bandwidth up to which a cipher keeps up in the paper, in Mbit/s; null where it has none. */
export function critical(cipher: NodeCipher | PageCipher): number | null {
  const row = PAPER_ROWS[cipher];
  return row === undefined ? null : paperFigure("critical", row, "bandwidth");
}

/** The paper's sweep ends here. */
export const PAPER_MOST = 1000;
/** In Mbit/s: from the paper's 1 to 1000 on to where every cipher breaks. */
export const BANDWIDTHS = [
  ...[1, 2, 5, 10, 20, 50, 100, 150, 200, 250, 350, 500, 750, 1000],
  ...[1500, 2000, 3500, 5000, 10_000, 20_000, 50_000, 100_000],
] as const;

/** A name for what is sent. */
export function described(load: PacketLoad): string {
  return load === "frames" ? "VP8 frames of 1280x720" : `packets of ${load} B`;
}
