import { findProgram, startRedis } from "@sealcast/testbed";
import { expect } from "vitest";

/** Null where a redis-server is here; else a word that says so, for the name of what is skipped. */
export const redisMissing = findProgram("redis-server") === null ? "skipped: no redis-server" : null;

interface RedisForTest {
  readonly program: NonNullable<Awaited<ReturnType<typeof startRedis>>>["program"];
  readonly url: string;
  /** It keeps its connections, and answers nothing. */
  halt(): void;
  goOn(): void;
}

/** A redis-server of this test's own, on a free port, that keeps nothing. */
export async function redisForTest(): Promise<RedisForTest> {
  const { program, environment } = (await startRedis()) ?? expect.unreachable("no redis-server");
  const signal = (name: "SIGSTOP" | "SIGCONT") => void process.kill(program.pid ?? expect.unreachable(), name);
  const url = environment.REDIS_URL ?? expect.unreachable();
  return { program, url, halt: () => signal("SIGSTOP"), goOn: () => signal("SIGCONT") };
}
