import { findProgram, startRedis } from "@sealcast/testbed";
import { expect } from "vitest";

/** Null where a redis-server is here; else a word that says so, for the name of what is skipped. */
export const redisMissing = findProgram("redis-server") === null ? "skipped: no redis-server" : null;

/** A redis-server of this test's own, on a free port, that keeps nothing. */
export async function redisForTest() {
  const { program, environment } = (await startRedis()) ?? expect.unreachable("no redis-server");
  const signal = (name: "SIGSTOP" | "SIGCONT") => void process.kill(program.pid ?? expect.unreachable(), name);
  return {
    program,
    url: environment.REDIS_URL ?? expect.unreachable(),
    /** It keeps its connections, and answers nothing. */
    halt: () => signal("SIGSTOP"),
    goOn: () => signal("SIGCONT"),
  };
}
