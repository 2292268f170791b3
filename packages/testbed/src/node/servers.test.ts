import { expect, onTestFinished, test, vi } from "vitest";
import { findProgram } from "./programs.ts";
import { startLiveKit, startRedis, startTurn } from "./servers.ts";

type Started = Awaited<ReturnType<typeof startLiveKit | typeof startRedis | typeof startTurn>>;

/** Ends with the test. */
function ending<T extends Started>(started: T): T {
  if (started) onTestFinished(() => started.program.stop("SIGKILL"));
  return started;
}

test("two LiveKit nodes over one Redis know each other's rooms, and one that was killed comes back", async ({
  skip,
}) => {
  const redis = ending(await startRedis());
  if (redis === null) return skip("no redis-server");
  const one = ending(await startLiveKit({ redis }));
  if (one === null) return skip("no livekit-server");
  const { LIVEKIT_API_SECRET: secret = "" } = one.environment;
  const other = ending(await startLiveKit({ redis, secret })) ?? expect.unreachable();
  const rooms = async ({ http, token }: typeof one, method: string, body: object) => {
    const authorization = `Bearer ${token("admin", "", { roomCreate: true, roomList: true })}`;
    const headers = { authorization, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return (await fetch(`${http}/twirp/livekit.RoomService/${method}`, init)).json();
  };
  await rooms(one, "CreateRoom", { name: "here" });
  await other.program.stop("SIGKILL");
  expect(other.program.pid).toBeNull();
  await other.program.restart();
  expect(await rooms(other, "ListRooms", {})).toMatchObject({ rooms: [{ name: "here" }] });
});

test("coturn takes connections until it is stopped", async ({ skip }) => {
  const turn = ending(await startTurn());
  if (turn === null) return skip("no turnserver");
  const ended = turn.program.ended();
  await turn.program.stop();
  expect(await ended).toContain("turnserver ended");
});

test("a program that the environment names wrongly is an error, not a skipped test", async () => {
  vi.stubEnv("TURNSERVER", "/nowhere/turnserver");
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(startTurn()).rejects.toThrow('TURNSERVER is "/nowhere/turnserver", which is not there.');
});

test("one that ends at once says why", async ({ skip }) => {
  if (findProgram("turnserver") === null) return skip("no turnserver");
  await expect(startTurn(["--no-such-option"])).rejects.toThrow(/turnserver ended \(\d+\): /);
});
