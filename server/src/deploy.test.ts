import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { Metrics } from "./metrics.ts";
import { startMeasured } from "./server.cases.ts";

const read = (name: string) => readFile(new URL(`../deploy/${name}`, import.meta.url), "utf8");

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

/** With those that one of several servers has besides. */
async function namesOfMetrics(): Promise<Set<string>> {
  const { read: metrics } = await startMeasured();
  const several = new Metrics();
  several.watchBus(() => ({ forwarded: 0, guests: 0, isConnected: true }));
  const text = `${await metrics()}\n${await several.registry.metrics()}`;
  return new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name));
}

test("the dashboard asks for metrics that the server has, and for all of its own", async () => {
  const known = await namesOfMetrics();
  const { panels } = JSON.parse(await read("grafana.json")) as Dashboard;
  const asked = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/[a-z]+(_[a-z0-9]+)+/g) ?? []),
  );
  const metric = /^(sealcast|process|nodejs)_/;
  const names = new Set(
    asked.filter((name) => metric.test(name)).map((name) => name.replace(/_(bucket|sum|count)$/, "")),
  );
  expect([...names].filter((name) => !known.has(name))).toEqual([]);
  expect(asked.filter((name) => !metric.test(name))).toEqual(asked.filter((name) => name === "histogram_quantile"));
  expect([...known].filter((name) => name.startsWith("sealcast_") && !names.has(name))).toEqual([]);
});

/** What .env may have: what the example sets, and what it has in a comment; a secret that it leaves empty is filled in. */
async function exampleOfEnvironment(): Promise<{ readonly set: Settings; readonly off: Settings }> {
  const example = await read("example.env");
  const set = new Map<string, string>();
  for (const [name, value] of settingsOf(example, /^([A-Z_]+)=(.*)$/gm)) set.set(name, filledIn(value, set));
  return { set, off: settingsOf(example, /^# ([A-Z_]+)=(.*)$/gm) };
}

type Settings = ReadonlyMap<string, string>;

const settingsOf = (text: string, line: RegExp): Settings =>
  new Map([...text.matchAll(line)].map(([, name = "", value = ""]) => [name, value === "" ? "s".repeat(64) : value]));

const VARIABLE = /(?<!\$)\$\{([A-Z_]+)(?::\?)?\}/g;

const filledIn = (text: string, values: Settings): string =>
  text.replace(VARIABLE, (_, name: string) => values.get(name) ?? "").replaceAll('"', "");

async function serviceOf(name: string): Promise<string> {
  const [, text] = new RegExp(`^ {2}${name}:\n((?:(?: {4}.*)?\n)+)`, "m").exec(await read("compose.yaml")) ?? [];
  return text ?? expect.unreachable(name);
}

/** Of one program; without a value are those that are passed on where .env has them. */
async function environmentOf(name: string): Promise<ReadonlyMap<string, string>> {
  const [, lines = ""] = /^ {4}environment:\n((?: {6}.*\n)+)/m.exec(await serviceOf(name)) ?? [];
  return new Map([...lines.matchAll(/^ {6}([A-Z_]+):(?: (.*))?$/gm)].map(([, key = "", value = ""]) => [key, value]));
}

const PROGRAMS = ["server", "livekit", "coturn", "caddy"];

test("the compose file names what the example of .env has, and nothing else", async () => {
  const { set, off } = await exampleOfEnvironment();
  const compose = await read("compose.yaml");
  expect([...compose.matchAll(/^ {2}([a-z]+):$/gm)].map(([, name]) => name)).toEqual(PROGRAMS);
  const used = new Set([...compose.matchAll(VARIABLE)].map(([, name = ""]) => name));
  expect([...used].sort()).toEqual([...set.keys()].sort());
  const environments = await Promise.all(PROGRAMS.map(environmentOf));
  const passedOn = environments.flatMap((each) => [...each].filter(([, value]) => value === "").map(([name]) => name));
  expect(passedOn.sort()).toEqual([...off.keys()].sort());
});

test("the server takes what the compose file gives it, once the example of .env is filled in", async () => {
  const { set, off } = await exampleOfEnvironment();
  const environment = await environmentOf("server");
  const source = await readFile(new URL("./config.ts", import.meta.url), "utf8");
  expect([...environment.keys()].filter((name) => !source.includes(`\n  ${name}: v.`))).toEqual([]);
  const given = (passedOn: RegExp) =>
    Object.fromEntries(
      [...environment].flatMap(([name, value]): [string, string | undefined][] => {
        if (value !== "") return [[name, filledIn(value, set)]];
        return passedOn.test(name) ? [[name, off.get(name)]] : [];
      }),
    );
  const config = readConfig(given(/^$/));
  expect(config).toMatchObject({ host: "127.0.0.1", port: 8080, behindProxy: true, publicHosts: ["call.example.org"] });
  expect(config).toMatchObject({ redis: null, liveRelays: null });
  expect(config.turn?.urls).toEqual([
    "turn:turn.example.org:3478?transport=udp",
    "turn:turn.example.org:3478?transport=tcp",
    "turns:turn.example.org:5349?transport=tcp",
  ]);
  const withRelays = readConfig(given(/^(LIVE|MESH)_/));
  expect(withRelays.liveRelays?.urls).toEqual(["https://live1.example.org:4443", "https://live2.example.org:4443"]);
  expect(withRelays.liveRelays?.internal).toHaveLength(2);
  expect(withRelays.meshViewers).toBe(12);
  expect(readConfig(given(/^REDIS_/)).redis?.url).toBe("redis://default:PASSWORD@10.0.0.7:6379");
  expect(() => readConfig(given(/./))).toThrow("LIVE_RELAYS takes a single process");
});

test("the other programs read what the compose file gives them", async () => {
  const caddy = [...(await environmentOf("caddy")).keys()];
  const named = [...(await read("Caddyfile")).matchAll(/\{\$([A-Z_]+)\}/g)].map(([, name]) => name);
  expect(named.sort()).toEqual(caddy.sort());
  // As LiveKit itself names them.
  expect([...(await environmentOf("livekit")).keys()]).toEqual(["LIVEKIT_KEYS", "REDIS_HOST", "REDIS_PASSWORD"]);
  expect([...(await environmentOf("coturn")).keys()]).toEqual(["TURN_SECRET"]);
});

test("coturn waits for its certificate, which the one issuer that Caddy has puts where coturn looks", async () => {
  const [caddyfile, caddy, coturn] = [await read("Caddyfile"), await serviceOf("caddy"), await serviceOf("coturn")];
  const issuers = [...caddyfile.matchAll(/^\tcert_issuer acme https:\/\/(\S+)$/gm)].map(([, address = ""]) => address);
  expect(issuers).toHaveLength(1);
  const folder = `/data/caddy/certificates/${issuers[0]?.replaceAll("/", "-")}/\${TURN_DOMAIN}`;
  expect(/^ {4}healthcheck:\n {6}test: (.*)$/m.exec(caddy)?.[1]).toBe(
    `cd ${folder} && test -s \${TURN_DOMAIN}.crt && test -s \${TURN_DOMAIN}.key`,
  );
  expect(coturn).toContain(`certificate=${folder}/\${TURN_DOMAIN}\n`);
  expect(coturn).toContain('--cert="$$certificate.crt" --pkey="$$certificate.key"');
  expect(coturn).toMatch(/^ {4}depends_on:\n {6}caddy:\n {8}condition: service_healthy$/m);
  expect(coturn).toMatch(/^ {6}- type: volume\n {8}source: caddy\n {8}target: \/data\n {8}read_only: true$/m);
  expect(coturn).not.toContain("subpath");
});

test("Caddy logs no request, an error's included", async () => {
  const caddyfile = await read("Caddyfile");
  expect(caddyfile).toMatch(
    /^\{\n(?:\t.*\n)*\tlog \{\n\t\texclude http\.log\.error http\.handlers\.reverse_proxy\n\t\}\n\}$/m,
  );
  expect([...caddyfile.matchAll(/^\s*log\b/gm)]).toHaveLength(1);
});

test("secrets are in no command line, nor is .env in the repository or the image", async () => {
  const { set, off } = await exampleOfEnvironment();
  const secrets = [...set, ...off].filter(([, value]) => /^s{64}$/.test(value)).map(([name]) => name);
  expect(secrets.sort()).toEqual(
    ["LIVEKIT_API_SECRET", "LIVE_RELAY_SECRET", "REDIS_PASSWORD", "REDIS_SECRET", "TURN_SECRET"].sort(),
  );
  const services = await Promise.all(PROGRAMS.map(serviceOf));
  const commands = services.map((text) => text.replace(/^ {4}environment:\n(?: {6}.*\n)+/m, ""));
  for (const secret of secrets) for (const command of commands) expect(command).not.toContain(`{${secret}`);
  // A builtin of the shell writes it into a file, before which nobody else may read what is written.
  expect(services.join("").replaceAll('echo "static-auth-secret=$$TURN_SECRET"', "")).not.toContain("$$TURN_SECRET");
  expect(await serviceOf("coturn")).toMatch(/umask 077\n.*static-auth-secret/);
  expect((await read("../../.gitignore")).split("\n")).toContain(".env");
  expect((await read("Dockerfile.dockerignore")).split("\n")).toContain("server/deploy/.env");
});
