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

test("the compose file's settings are ones that the server takes, once the example of .env is filled in", async () => {
  const [compose, example] = [await read("compose.yaml"), await read("example.env")];
  const names = [...example.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]): [string, string] => [
    name,
    value === "" ? "s".repeat(64) : value,
  ]);
  const given = new Map(names);
  const used = new Set([...compose.matchAll(/\$\{([A-Z_]+)(?::\?)?\}/g)].map(([, name = ""]) => name));
  expect([...used].sort()).toEqual([...given.keys()].sort());
  const [, settings = ""] = /^ {2}server:.*?^ {4}environment:\n((?: {6}.*\n)+)/ms.exec(compose) ?? [];
  const environment = [...settings.matchAll(/^ {6}([A-Z_]+): (.*)$/gm)].map(([, name = "", value = ""]) => {
    const filled = value.replace(/\$\{([A-Z_]+)(?::\?)?\}/g, (_, variable: string) => given.get(variable) ?? "");
    return [name, filled.replaceAll('"', "")];
  });
  const config = readConfig(Object.fromEntries(environment));
  expect(config).toMatchObject({ host: "127.0.0.1", port: 8080, behindProxy: true, publicHosts: ["call.example.org"] });
  expect(config.turn?.urls).toEqual([
    "turn:turn.example.org:3478?transport=udp",
    "turn:turn.example.org:3478?transport=tcp",
    "turns:turn.example.org:5349?transport=tcp",
  ]);
});
