import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { newLink, token } from "./rooms/door.cases.ts";
import { startForTest, startMeasured } from "./server.cases.ts";

test("sockets, rooms and messages are counted", async () => {
  const { connect, figure } = await startMeasured();
  const [alice, idle] = [await connect(), await connect()];
  await alice.enter(newLink());
  alice.say({ type: "relay", body: "hello" });
  await alice.next("relayed");
  const names = ["sockets", "sockets_unjoined", "calls", "streams", "messages_in_total", "messages_out_total"];
  const figures = await Promise.all(names.map((name) => figure(`sealcast_${name}`)));
  expect(figures).toEqual([2, 1, 1, 0, 3, 6]);
  expect(await figure("sealcast_message_dwell_seconds_count")).toBe(3);
  idle.socket.terminate();
  await expect.poll(() => figure("sealcast_sockets")).toBe(1);
  expect(await figure("sealcast_messages_in_total"), "reading changes nothing").toBe(3);
});

test("refusals, faults and ends are counted by why", async () => {
  const { connect, figure, server } = await startMeasured();
  const [one, flood] = [await connect(), await connect()];
  one.socket.send("no JSON");
  await one.closed;
  await flood.join();
  for (let i = 0; i < 1_000; i++) flood.say({ type: "ping" });
  await flood.closed;
  const foreign = new WebSocket(`ws://localhost:${server.port}/signal`, { origin: "http://evil.example" });
  await once(foreign, "unexpected-response");
  expect(await figure('sealcast_sockets_refused_total{status="403"}')).toBe(1);
  expect(await figure('sealcast_faults_total{code="malformed"}')).toBe(1);
  expect(await figure('sealcast_sockets_terminated_total{why="flooding"}')).toBe(1);
  expect(await figure("sealcast_sockets_opened_total")).toBe(2);
});

test("the process is watched: CPU, memory, event loop", async () => {
  const { figure } = await startMeasured();
  for (const name of ["process_cpu_seconds_total", "process_resident_memory_bytes", "nodejs_eventloop_lag_p99_seconds"])
    expect(await figure(name)).toBeGreaterThan(0);
});

test("nothing that names a room, a member or an address is reported", async () => {
  const { connect, read } = await startMeasured();
  const alice = await connect();
  const link = newLink();
  const { member, token: resumption } = await alice.enter(link);
  const text = await read();
  for (const secret of [link.door, token("epoch"), member, resumption, "127.0.0.1", "::1", "localhost"])
    expect(text).not.toContain(secret);
});

test("metrics are on their own port and nowhere else, and nothing else is there", async () => {
  const { url, server } = await startMeasured();
  expect((await fetch(`http://localhost:${server.port}/metrics`)).status).toBe(404);
  expect((await fetch(url.replace("/metrics", "/"))).status).toBe(404);
  expect((await fetch(url, { method: "POST" })).status).toBe(404);
  expect((await fetch(url)).headers.get("Content-Type")).toContain("text/plain");
  await server.stop();
  await expect(fetch(url)).rejects.toThrow();
});

test("without METRICS_PORT there are none", async () => {
  expect((await startForTest()).server.metricsPort).toBeNull();
});

test("a port that is taken is named, and nothing goes on listening", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  await expect(startForTest({ config: { metrics: { port, host: "127.0.0.1" } } })).rejects.toMatchObject({
    code: "port-taken",
    message: expect.stringContaining(`METRICS_PORT ${port}`),
  });
});
