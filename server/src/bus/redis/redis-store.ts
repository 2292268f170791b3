import { createClient } from "@redis/client";
import { type Clock, milli, systemClock } from "@sealcast/time";
import * as v from "valibot";
import {
  GRACE,
  LEASE,
  NAME_KEPT,
  type Renewed,
  type Store,
  type StoreEvents,
  type StoreSession,
  TO_OPEN,
} from "./store.ts";

const PREFIX = "sealcast:";
/** Milliseconds for a connection to be made. */
const TO_CONNECT = 1_000;

/** ARGV: node, milliseconds of a lease, of the time of grace, peers. Nobody renews: all are back from somewhere. */
const RENEW = `
local p = '${PREFIX}'
if not redis.call('set', p .. 'renewed', '1', 'PX', ARGV[2], 'GET') then redis.call('set', p .. 'grace', '1', 'PX', ARGV[3]) end
local out = { redis.call('set', p .. 'node:' .. ARGV[1], '1', 'PX', ARGV[2], 'GET') and 1 or 0 }
for i = 4, #ARGV do
  local listens = redis.call('pubsub', 'numsub', p .. 'to:' .. ARGV[i])[2]
  out[i - 2] = redis.call('exists', p .. 'node:' .. ARGV[i]) == 1 and listens > 0 and 1 or 0
end
return out`;

/** ARGV: node, milliseconds, how many former nodes, these, names. A node without a lease gets nothing. */
const CLAIM = `
local p, me, former, out = '${PREFIX}', ARGV[1], tonumber(ARGV[3]), {}
local own = { [me] = true }
for i = 4, former + 3 do own[ARGV[i]] = true end
local may = redis.call('exists', p .. 'node:' .. me) == 1
local grace = redis.call('exists', p .. 'grace') == 1
for i = former + 4, #ARGV do
  local key = p .. 'name:' .. ARGV[i]
  local has = redis.call('get', key)
  local held = has and not own[has] and redis.call('exists', p .. 'node:' .. has) == 1
  if held then out[#out + 1] = has
  elseif not may or (grace and not own[has] and (has or former == 0)) then out[#out + 1] = ''
  else
    redis.call('set', key, me, 'PX', ARGV[2])
    out[#out + 1] = me
  end
end
return out`;

/** ARGV: node, names. */
const RELEASE = `
for i = 2, #ARGV do
  local key = '${PREFIX}name:' .. ARGV[i]
  if redis.call('get', key) == ARGV[1] then redis.call('del', key) end
end`;

const Numbers = v.array(v.number());
const Names = v.array(v.string());

/** One Redis (7 or newer), or its stand-in that takes scripts and publishes; no cluster of them. Nothing in it stays. */
export class RedisStore implements Store {
  readonly #url: string;
  readonly #clock: Clock;

  constructor(url: string, clock: Clock = systemClock) {
    this.#url = url;
    this.#clock = clock;
  }

  async open(node: string, { received, lost }: StoreEvents): Promise<StoreSession> {
    const [commands, subscriber] = [clientOf(this.#url), clientOf(this.#url)];
    let isOver = false;
    const close = () => {
      isOver = true;
      for (const client of [commands, subscriber]) if (client.isOpen) client.destroy();
    };
    const end = () => {
      if (isOver) return;
      close();
      lost();
    };
    for (const client of [commands, subscriber]) client.on("error", end).on("end", end);
    // One that takes connections, and answers nothing, would be left more of them with each attempt.
    const stop = this.#clock.after(milli(TO_OPEN), close);
    await Promise.all([commands.connect(), subscriber.connect()])
      .then(() => subscriber.subscribe(`${PREFIX}to:${node}`, received, true))
      .finally(stop)
      .catch((cause: unknown) => {
        close();
        throw cause;
      });
    return sessionOf(node, { commands, close });
  }
}

const clientOf = (url: string) =>
  createClient({
    url,
    // A session that ends is over: what it had under way is not sent again.
    disableOfflineQueue: true,
    maintNotifications: "disabled",
    // Whether the store answers is found by renewals; a timer for each command costs more than the command.
    commandOptions: { timeout: 0 },
    socket: { reconnectStrategy: false, connectTimeout: TO_CONNECT },
  });

interface Connections {
  readonly commands: ReturnType<typeof clientOf>;
  readonly close: () => void;
}

function sessionOf(node: string, { commands, close }: Connections): StoreSession {
  const run = (script: string, ...args: readonly (string | number)[]) =>
    commands.eval(script, { keys: [], arguments: args.map(String) });
  return {
    async renew(peers): Promise<Renewed> {
      const [had, ...live] = v.parse(Numbers, await run(RENEW, node, LEASE, GRACE, ...peers));
      return { had: had === 1, gone: peers.filter((_, i) => live[i] === 0) };
    },
    async claim(names, former) {
      const owners = v.parse(Names, await run(CLAIM, node, NAME_KEPT, former.length, ...former, ...names));
      return owners.map((owner) => (owner === "" ? null : owner));
    },
    async release(names) {
      await run(RELEASE, node, ...names);
    },
    publish: async (to, bytes) => (await commands.publish(`${PREFIX}to:${to}`, bytes)) > 0,
    async leave() {
      await commands.del(`${PREFIX}node:${node}`);
      close();
    },
    close,
  };
}
