import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { type Clock, ManualClock, milli, systemClock } from "@sealcast/time";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { randomId } from "../../random.ts";
import { newLink } from "../../rooms/door.cases.ts";
import { contract } from "../contract.cases.ts";
import { type Cluster, Node, Person } from "./cluster.cases.ts";
import { redisForTest, redisMissing } from "./redis-server.cases.ts";
import { RedisStore } from "./redis-store.ts";
import { type Store, TO_OPEN } from "./store.ts";
import { GATHER } from "./wire.ts";

const patient = { timeout: 20_000 };

async function started() {
  const redis = await redisForTest();
  onTestFinished(() => redis.program.stop("SIGKILL"));
  return redis;
}

async function opened(url: string) {
  const node = randomId();
  const received: string[] = [];
  let isLost = false;
  const session = await new RedisStore(url).open(node, {
    received: (bytes) => void received.push(bytes.toString()),
    lost: () => {
      isLost = true;
    },
  });
  onTestFinished(() => session.close());
  return { node, received, session, isLost: () => isLost };
}

test("closes its connections where the store answers nothing for as long as a node waits to be let in", async () => {
  const clock = new ManualClock();
  const connections = new Set<Socket>();
  let opened = 0;
  const silent = createServer((socket) => {
    opened++;
    connections.add(socket.resume().on("close", () => connections.delete(socket)));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const session = new RedisStore(`redis://127.0.0.1:${port}`, clock).open(randomId(), {
    received: () => {},
    lost: () => {},
  });
  const failed = session.catch((cause: unknown) => cause);
  await expect.poll(() => opened, patient).toBe(2);
  clock.advance(milli(TO_OPEN));
  await expect.poll(() => connections.size, patient).toBe(0);
  expect(await failed).toBeInstanceOf(Error);
});

describe.skipIf(redisMissing)(`a Redis ${redisMissing ?? ""}`, () => {
  test("gives a name to one node while its lease holds, and first back to who had it", async () => {
    const { url } = await started();
    const [one, two] = [await opened(url), await opened(url)];
    expect(await one.session.claim(["n"], []), "without a lease nothing is to be had").toEqual([null]);
    expect(await one.session.renew([two.node])).toEqual({ had: false, gone: [two.node] });
    expect(await two.session.renew([one.node])).toEqual({ had: false, gone: [] });
    expect(await one.session.claim(["n"], []), "nor in the time of grace").toEqual([null]);
    expect(await one.session.claim(["n"], [randomId()])).toEqual([one.node]);
    expect(await two.session.claim(["n"], [randomId()])).toEqual([one.node]);
    expect(await two.session.claim(["n", "m"], [randomId(), one.node])).toEqual([two.node, two.node]);
    expect(await one.session.claim(["n", "m"], [two.node, randomId()])).toEqual([one.node, one.node]);
    await one.session.release(["m"]);
    await one.session.release(["n"]);
    await two.session.release(["n"]);
    expect(await two.session.claim(["n", "m"], [randomId()])).toEqual([two.node, two.node]);
    await one.session.release(["n"]);
    expect(await one.session.claim(["n"], [randomId()]), "nobody gives up another's").toEqual([two.node]);
    await two.session.leave();
    expect(await one.session.claim(["n"], [randomId()]), "another may come back for it").toEqual([null]);
    expect(await one.session.claim(["n"], [two.node])).toEqual([one.node]);
    expect(await one.session.renew([two.node])).toEqual({ had: true, gone: [two.node] });
  });

  test("passes bytes on in order, and says where nobody receives", async () => {
    const { url } = await started();
    const [one, two] = [await opened(url), await opened(url)];
    for (let i = 0; i < 100; i++) void one.session.publish(two.node, Buffer.from(`${i}`));
    expect(await one.session.publish(two.node, Buffer.from("last"))).toBe(true);
    await expect.poll(() => two.received.length, patient).toBe(101);
    expect(two.received).toEqual([...Array.from({ length: 100 }, (_, i) => `${i}`), "last"]);
    expect(await one.session.publish(randomId(), Buffer.from("nobody"))).toBe(false);
  });

  test("that is killed ends its sessions", async () => {
    const { program, url } = await started();
    const one = await opened(url);
    await program.stop("SIGKILL");
    await expect.poll(one.isLost, patient).toBe(true);
    await expect(new RedisStore(url).open(randomId(), { received: () => {}, lost: () => {} })).rejects.toThrow();
  });
});

/** Three nodes over one Redis, and when all that they said has arrived. */
class RedisCluster implements Cluster {
  readonly nodes: readonly Node[];
  readonly #end: () => Promise<void>;
  /** Asked and not answered, on its way, or waiting for more to go with it. */
  #underWay = 0;
  readonly #clock: Clock = {
    now: () => systemClock.now(),
    after: (delay, task) => {
      if (delay > GATHER) return systemClock.after(delay, task);
      this.#underWay++;
      return systemClock.after(delay, () => {
        this.#underWay--;
        task();
      });
    },
  };

  private constructor(url: string, end: () => Promise<void>) {
    this.#end = end;
    this.nodes = Array.from({ length: 3 }, () => new Node(this.#counting(new RedisStore(url)), this.#clock));
  }

  static async start(): Promise<RedisCluster> {
    const { url, program } = await redisForTest();
    const cluster = new RedisCluster(url, () => program.stop("SIGKILL"));
    await vi.waitUntil(() => cluster.nodes.every(({ bus }) => bus.state === "ok"), patient);
    const [bus = expect.unreachable()] = cluster.buses;
    const first = Person.at(bus, { type: "join", door: newLink().door, resume: null });
    await vi.waitUntil(() => first.types.includes("joined"), patient);
    return cluster;
  }

  get buses() {
    return this.nodes.map(({ bus }) => bus);
  }

  readonly wait = (ms: number): Promise<void> => new Promise((done) => void systemClock.after(milli(ms), done));

  readonly settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < 20; quiet++) {
      await turn();
      if (this.#underWay > 0) quiet = 0;
    }
  };

  async end(): Promise<void> {
    await Promise.all(this.nodes.map(({ bus }) => bus.close()));
    await this.#end();
  }

  #counting(store: Store): Store {
    const counted = async <T>(asked: Promise<T>): Promise<T> => {
      this.#underWay++;
      return asked.finally(() => this.#underWay--);
    };
    return {
      open: async (node, { received, lost }) => {
        const heard = (bytes: Buffer) => {
          this.#underWay--;
          received(bytes);
        };
        const session = await store.open(node, { received: heard, lost });
        return {
          renew: (peers) => session.renew(peers),
          claim: (names, former) => counted(session.claim(names, former)),
          release: (names) => counted(session.release(names)),
          publish: async (to, bytes) => {
            this.#underWay++;
            return session.publish(to, bytes);
          },
          leave: () => session.leave(),
          close: () => session.close(),
        };
      },
    };
  }
}

describe.skipIf(redisMissing)(`three servers over a Redis ${redisMissing ?? ""}`, () => {
  let cluster: RedisCluster | null = null;
  beforeAll(async () => {
    cluster = await RedisCluster.start();
  }, 30_000);
  afterAll(() => cluster?.end());
  contract(async () => {
    const { buses, settle, wait } = cluster ?? expect.unreachable();
    return { buses, settle, wait };
  });
});
