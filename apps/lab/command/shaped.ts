import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browserStarter, firstProblem, removeNamespaces, withinNamespace } from "@sealcast/testbed";

/** Two networks of their own on this computer, joined by one slow link. */
export interface ShapedLink {
  /** For each end, what starts a browser there. */
  readonly browsers: readonly [string, string];
  /** What stands before a command that is to run at the first end. */
  readonly within: readonly string[];
  /** Where the second end finds the first. */
  readonly address: string;
  /** Removes the networks. Browsers at the ends are to be closed before. */
  close(): void;
}

/** As a router's queue: a packet that would wait longer is dropped. */
const LONGEST_WAIT = "100ms";
/** What may go at once, and more than any one packet of a call. */
const BURST = "15kb";
const NEAR = "10.77.0.1";
const FAR = "10.77.0.2";

/**
 * A link of this many Mbit/s each way. It needs root on a Linux with network namespaces; where there is none of that, the
 * reason comes instead. It goes with the command at the latest, even one that is interrupted.
 */
export function shapedLink(mbitPerS: number): ShapedLink | { missing: string } {
  const ends = ["a", "b"].map((end) => `sealcast-${process.pid}-${end}`) as [string, string];
  const folder = mkdtempSync(join(tmpdir(), "sealcast-lab-"));
  const close = () => {
    process.off("exit", close);
    removeNamespaces(ends);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", close);
  const missing = firstProblem(steps(ends, mbitPerS));
  if (missing !== null) {
    close();
    return { missing };
  }
  const browsers = [browserStarter(folder, ends[0]), browserStarter(folder, ends[1])] as const;
  return { browsers, within: withinNamespace(ends[0]), address: NEAR, close };
}

/** The commands that make two networks and join them. */
function steps([near, far]: readonly [string, string], mbitPerS: number): string[][] {
  const pair = ["ip", "link", "add", "near", "netns", near, "type", "veth", "peer", "name", "far", "netns", far];
  const shape = ["root", "tbf", "rate", `${mbitPerS}mbit`, "burst", BURST, "latency", LONGEST_WAIT];
  const up = (end: string, device: string, address: string) => [
    ["ip", "-n", end, "address", "add", `${address}/24`, "dev", device],
    ["ip", "-n", end, "link", "set", "lo", "up"],
    ["ip", "-n", end, "link", "set", device, "up"],
    ["tc", "-n", end, "qdisc", "add", "dev", device, ...shape],
  ];
  const spaces = [near, far].map((end) => ["ip", "netns", "add", end]);
  return [...spaces, pair, ...up(near, "near", NEAR), ...up(far, "far", FAR)];
}
