import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browserStarter, firstProblem, removeNamespaces, withinNamespace } from "./namespaces.ts";

/** Where what stands in the middle is found, from both sides. */
const MIDDLE = "10.79.9.1";
const SIDES = ["a", "b"] as const;
type Side = (typeof SIDES)[number];
/** Of the firewalls' rules: before that by which the middle knows its own addresses. */
const PREFERENCE: Record<Side, string> = { a: "1", b: "2" };
const OWN_ADDRESSES = "100";

/** What a firewall drops without a word of what leaves a network. */
const WALLS = {
  open: [],
  /** As in many offices and hotels. */
  tcp: [["ipproto", "udp"]],
  /** As where a proxy is thought to be all that anyone needs. */
  "443": [
    ["ipproto", "udp"],
    ["ipproto", "tcp", "dport", "1-442"],
    ["ipproto", "tcp", "dport", "444-65534"],
  ],
} as const;

/** Two networks of their own on this computer, each joined to what stands between them, of which none leads to the other. */
export interface WalledNetworks {
  readonly middle: string;
  /** For each side, what starts a browser there. */
  readonly browsers: Readonly<Record<Side, string>>;
  /** What stands before a command that is to run in the middle. */
  readonly within: readonly string[];
  /** At the same port of localhost, both sides find what listens on this computer's. */
  publish(port: number): Promise<void>;
  /** What goes out of that side from now on. */
  wall(side: Side, wall: keyof typeof WALLS): void;
  /** Removes the networks. Browsers in them are to be closed before. */
  close(): void;
}

/** Needs root on a Linux with network namespaces; where there is none of that, the reason comes instead. */
export function walledNetworks(): WalledNetworks | { missing: string } {
  const names = Object.fromEntries([...SIDES, "m"].map((end) => [end, `sealcast-${process.pid}-${end}`]));
  const of = (end: string) => names[end] ?? "";
  const folder = mkdtempSync(join(tmpdir(), "sealcast-walls-"));
  const ways: (ChildProcess | Server)[] = [];
  const close = () => {
    process.off("exit", close);
    for (const way of ways) "kill" in way ? way.kill() : way.close();
    removeNamespaces(Object.values(names));
    rmSync(folder, { recursive: true, force: true });
  };
  process.on("exit", close);
  const missing = firstProblem(steps(of));
  if (missing !== null) {
    close();
    return { missing };
  }
  return {
    middle: MIDDLE,
    browsers: { a: browserStarter(folder, of("a")), b: browserStarter(folder, of("b")) },
    within: withinNamespace(of("m")),
    publish: async (port) => {
      const path = join(folder, `${port}.socket`);
      ways.push(await bridge(path, port));
      for (const side of SIDES) ways.push(await door(of(side), path, port));
    },
    wall: (side, wall) => {
      const rule = ["ip", "-n", of("m"), "rule"];
      const ours = ["iif", `to-${side}`, "blackhole"];
      const isThere = () => firstProblem([[...rule, "delete", "pref", PREFERENCE[side], ...ours]]) === null;
      while (isThere());
      const add = (what: readonly string[]) => [...rule, "add", "pref", PREFERENCE[side], ...what, ...ours];
      const problem = firstProblem(WALLS[wall].map(add));
      if (problem !== null) throw new Error(problem);
    },
    close,
  };
}

/** The commands that make the networks: nothing is carried on from one side to the other. */
function steps(of: (end: string) => string): string[][] {
  const middle = of("m");
  const side = (end: Side, at: number) => [
    [
      "ip",
      "link",
      "add",
      `side-${end}`,
      "netns",
      of(end),
      "type",
      "veth",
      "peer",
      "name",
      `to-${end}`,
      "netns",
      middle,
    ],
    ["ip", "-n", of(end), "address", "add", `10.79.${at}.2/24`, "dev", `side-${end}`],
    ["ip", "-n", of(end), "link", "set", "lo", "up"],
    ["ip", "-n", of(end), "link", "set", `side-${end}`, "up"],
    ["ip", "-n", middle, "address", "add", `10.79.${at}.1/24`, "dev", `to-${end}`],
    ["ip", "-n", middle, "link", "set", `to-${end}`, "up"],
    ["ip", "-n", of(end), "route", "add", "default", "via", `10.79.${at}.1`],
  ];
  return [
    ...[...SIDES, "m"].map((end) => ["ip", "netns", "add", of(end)]),
    ["ip", "-n", middle, "link", "set", "lo", "up"],
    ["ip", "-n", middle, "address", "add", `${MIDDLE}/32`, "dev", "lo"],
    ...SIDES.flatMap((end, at) => side(end, at + 1)),
    ["ip", "-n", middle, "rule", "add", "pref", OWN_ADDRESSES, "lookup", "local"],
    ["ip", "-n", middle, "rule", "delete", "pref", "0"],
  ];
}

/** Files are the same in all networks, and so are sockets that are files. */
async function bridge(path: string, port: number): Promise<Server> {
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on("error", () => other.destroy()).pipe(other);
  });
  await once(server.listen(path), "listening");
  return server;
}

/** Runs in a side's network. */
const DOOR = `
  const { connect, createServer } = require("node:net");
  const [path, port] = process.argv.slice(1);
  createServer((near) => {
    const far = connect(path);
    for (const [one, other] of [[near, far], [far, near]]) one.on("error", () => other.destroy()).pipe(other);
  }).listen(Number(port), "127.0.0.1", () => console.log("listening"));
`;

async function door(name: string, path: string, port: number): Promise<ChildProcess> {
  const [program = "", ...args] = [...withinNamespace(name), process.execPath, "-e", DOOR, path, String(port)];
  const running = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(running.stdout, "data");
  return running;
}
