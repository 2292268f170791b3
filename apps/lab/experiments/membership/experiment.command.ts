import { Server } from "@sealcast/testbed";
import type { CommandBench, Experiment, Row } from "../../command/experiment.ts";
import { pause, until } from "../../command/until.ts";
import { quantile } from "../../src/shared/statistics.ts";
import { type Lost, lostAtSwitch, worst } from "./lost-frames.command.ts";
import { ProductMember } from "./member.command.ts";
import type { KeysSeen } from "./membership.ts";

/** A row of the table: a call in which, again and again, someone comes, is removed, and goes on receiving. */
interface Size {
  readonly members: number;
  /** Whether all have cameras, of 320x180 at 5 pictures a second. */
  readonly cameras: boolean;
  /** How many have a microphone, the one who comes and goes among them. Where nobody has any device, keys only. */
  readonly microphones: number;
  readonly rounds: number;
}

const SIZES: readonly Size[] = [
  { members: 3, cameras: true, microphones: 2, rounds: 6 },
  // Two cores encode, decode and seal for all six.
  { members: 6, cameras: true, microphones: 2, rounds: 4 },
  { members: 12, cameras: false, microphones: 0, rounds: 5 },
];

/** What one round gave. Times are milliseconds. */
interface Round {
  readonly joinMs: number;
  readonly removalMs: number;
  /** When someone came, and when they went. */
  readonly switches: Lost[];
}

/** Of the 5 that a camera gives. */
const LEAST_A_SECOND = 4;
/** The pages count their frames once a second. */
const COUNTED_WITHIN_MS = 1_500;

export const membership: Experiment = {
  async run(bench) {
    const product = await Server.start();
    try {
      const rows: (Row & Figures)[] = [];
      for (const size of SIZES) rows.push(row(size, await inCall(bench, product, size)));
      const most = (values: (number | null)[]) => Math.max(...values.map((value) => value ?? 0));
      const summary = {
        removalP95Ms: most(rows.map(({ removalP95Ms }) => removalP95Ms)),
        joinP50Ms: most(rows.map(({ joinP50Ms }) => joinP50Ms)),
        epochSwitchLostFrames: most(rows.map(({ epochSwitchLostFrames }) => epochSwitchLostFrames)),
        members: most(rows.map(({ members }) => members)),
      };
      return { rows, summary };
    } finally {
      await product.stop();
    }
  },
};

interface Figures {
  members: number;
  joinP50Ms: number;
  removalP95Ms: number;
  /** The most that one track lost at a switch; null where there are keys only. */
  epochSwitchLostFrames: number | null;
  /** The most that a busy sender left out of one track's 25 frames to both sides of a switch. */
  leftOutAtSwitch: number | null;
}

function row({ members, cameras, microphones }: Size, rounds: readonly Round[]): Row & Figures {
  const of = (figure: "joinMs" | "removalMs", q: number) =>
    Math.round(
      quantile(
        rounds.map((round) => round[figure]),
        q,
      ),
    );
  const switches = rounds.flatMap((round) => round.switches);
  const { lost, leftOut } = switches.length === 0 ? { lost: null, leftOut: null } : worst(switches);
  return {
    members,
    with: cameras ? `pictures of all, sound of ${microphones}` : "keys only",
    rounds: rounds.length,
    joinP50Ms: of("joinMs", 0.5),
    joinP95Ms: of("joinMs", 0.95),
    removalP50Ms: of("removalMs", 0.5),
    removalP95Ms: of("removalMs", 0.95),
    epochSwitchLostFrames: lost,
    leftOutAtSwitch: leftOut,
  };
}

/** A call of all but one member, and round after round of that one. */
async function inCall(
  bench: CommandBench,
  product: Server,
  { members, cameras, microphones, rounds }: Size,
): Promise<Round[]> {
  const stay: ProductMember[] = [];
  const open = async (name: string, microphone: boolean, hostile = false) =>
    ProductMember.open(bench.browser, name, { camera: cameras, microphone, hostile });
  try {
    const creator = await open("Member 1", microphones > 1);
    stay.push(creator);
    await creator.found(product.url);
    while (stay.length < members - 1) {
      const member = await open(`Member ${stay.length + 1}`, microphones > stay.length + 1);
      stay.push(member);
      await member.visit(await creator.inviteLink());
      await member.enter();
    }
    bench.say(`${members} members: all but one have joined`);
    if (cameras) await until("everybody receives everybody", () => lacking(stay, stay));
    const results: Round[] = [];
    for (let number = 1; number <= (bench.quick ? 1 : rounds); number++) {
      const guest = await open(`Guest ${number}`, microphones > 0, true);
      const result = await round(stay, guest, cameras).finally(() => guest.close());
      results.push(result);
      bench.say(
        `${members} members, round ${number}: join ${result.joinMs.toFixed(0)} ms, removal ${result.removalMs.toFixed(0)} ms, lost at switches ${result.switches.map(({ lost, leftOut }) => `${lost} (${leftOut} left out)`).join(" and ")}`,
      );
    }
    return results;
  } finally {
    for (const member of stay) await member.close();
  }
}

async function round(stay: readonly ProductMember[], guest: ProductMember, cameras: boolean): Promise<Round> {
  const [creator] = stay;
  if (creator === undefined) throw new Error("a call has a creator");
  await guest.visit(await creator.inviteLink());
  await Promise.all(stay.map((member) => member.forget()));
  const before = await Promise.all(stay.map((member) => member.tracks(false)));
  await guest.enter();
  const clicked = await guest.clickedAt("Join now");
  const joined = cameras ? await firstOfAll(guest, stay) : await inOneEpoch([...stay, guest]);
  await pause(COUNTED_WITHIN_MS);
  const between = await Promise.all(stay.map((member) => member.tracks(true)));
  const atJoin = before.map((tracks, i) => lostAtSwitch(tracks, between[i] ?? []));
  // What a newcomer's page takes of this machine when it starts is no cost of the removal.
  if (cameras) await until("pictures come steadily", () => unsteady(stay));
  const steady = await Promise.all(stay.map((member) => member.tracks(false)));

  await Promise.all(stay.map((member) => member.forget()));
  await creator.remove(guest.name);
  const removedAt = await creator.clickedAt(`Remove ${guest.name}`);
  const last = cameras ? await lastThatOpens(guest, stay) : await inOneEpoch(stay);
  await pause(COUNTED_WITHIN_MS);
  const after = await Promise.all(stay.map((member) => member.tracks(true)));
  const known = before.map((tracks, i) =>
    (steady[i] ?? []).filter(({ id }) => tracks.some((track) => track.id === id)),
  );
  const atRemoval = known.map((tracks, i) => lostAtSwitch(tracks, after[i] ?? []));
  await Promise.all(stay.map((member) => member.hangUp()));
  const [joinMs, removalMs] = [joined - clicked, last - removedAt];
  // Nothing was opened where the last time is 0.
  if (!(joinMs > 0 && Number.isFinite(joinMs) && last > 0))
    throw new Error("a worker that was to tell its times is gone");
  return { joinMs, removalMs, switches: [atJoin, atRemoval].flatMap(worstOfAll) };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, next) => total + next, 0);
}

/** None where nobody received before and after. */
function worstOfAll(members: readonly (Lost | null)[]): Lost[] {
  const known = members.filter((lost) => lost !== null);
  return known.length === 0 ? [] : [worst(known)];
}

/** How many tracks of the others some members still have to receive; "" when it is none. */
async function lacking(members: readonly ProductMember[], all: readonly ProductMember[]): Promise<string> {
  const expected = members.map((member) => sum(all.filter((other) => other !== member).map(tracksOf)));
  const tracks = await Promise.all(members.map((member) => member.tracks(false)));
  const open = tracks.map((of) => of.filter(({ opened }) => opened > 0).length);
  const isAll = open.every((count, i) => count >= (expected[i] ?? 0));
  return isAll ? "" : `${open.join(", ")} tracks are open, of ${expected.join(", ")}`;
}

/** How many pictures some member gets fewer of than their cameras give; "" when it is none. Takes a second. */
async function unsteady(members: readonly ProductMember[]): Promise<string> {
  const before = await Promise.all(members.map((member) => member.tracks(false)));
  await pause(1_000);
  const after = await Promise.all(members.map((member) => member.tracks(false)));
  const slow = after.map((tracks, i) =>
    tracks.filter(({ id, kind, opened }) => {
      const { opened: was } = before[i]?.find((track) => track.id === id) ?? { opened: 0 };
      // Tracks of people who were removed in earlier rounds have none.
      return kind === "video" && opened > 0 && opened - was < LEAST_A_SECOND;
    }),
  );
  return sum(slow.map(({ length }) => length)) === 0
    ? ""
    : `${slow.map(({ length }) => length).join(", ")} tracks are slow`;
}

function tracksOf({ terms }: ProductMember): number {
  return Number(terms.camera) + Number(terms.microphone);
}

/** When the last of the others' tracks gave its first frame. */
async function firstOfAll(guest: ProductMember, others: readonly ProductMember[]): Promise<number> {
  await until("the newcomer receives everybody", () => lacking([guest], others));
  const tracks = await guest.tracks(true);
  const firsts = tracks.map(({ frames }) => Math.min(...frames.flatMap(({ openedAt }) => openedAt ?? [])));
  return Math.max(...firsts.filter(Number.isFinite));
}

/** When the last frame opened that the removed member could open. Those who stay have sealed in a new epoch since. */
async function lastThatOpens(guest: ProductMember, stay: readonly ProductMember[]): Promise<number> {
  const keys = (await guest.seen()).flatMap((worker) => worker.keys);
  const held = new Set(keys.map(({ epoch }) => epoch % 16));
  await inOneEpoch(stay);
  // Honest pages send the removed one nothing more, so there is no frame to wait for.
  await until("nothing opens any more", async () => {
    const quietMs = Date.now() - (await guest.lastOpenedAt());
    return quietMs > COUNTED_WITHIN_MS ? "" : `the last opened ${quietMs.toFixed(0)} ms ago`;
  });
  const frames = (await guest.tracks(true)).flatMap((track) => track.frames);
  if (frames.some(({ epoch, openedAt }) => !held.has(epoch) && openedAt !== null))
    throw new Error("the removed member opened a frame of an epoch that it is not in");
  return guest.lastOpenedAt();
}

/** When the last of all sealed in the latest epoch, once all do. Looks at what they heard since the last order to forget. */
async function inOneEpoch(members: readonly ProductMember[]): Promise<number> {
  let switches: (KeysSeen | undefined)[] = [];
  await until("everybody seals in one new epoch", async () => {
    const seen = await Promise.all(members.map((member) => member.seen()));
    switches = seen.flatMap((workers) => workers.map(({ keys }) => keys.findLast(({ type }) => type === "send")));
    const epochs = switches.map((sent) => sent?.epoch ?? "-");
    return switches[0] !== undefined && new Set(epochs).size === 1 ? "" : `they seal in ${epochs.join(", ")}`;
  });
  return Math.max(...switches.map((sent) => sent?.at ?? 0));
}
