import { processesOf, readProcess } from "@sealcast/testbed";

/** How often is looked. */
const LOOK_MS = 200;

/** Megabytes: in all, and of these what is the processes' own, what lies in memory that they share, and what is mapped from files. */
interface Memory {
  readonly all: number;
  readonly own: number;
  readonly shared: number;
  readonly files: number;
}

/** Before some work, and at the moment when it was most. */
export interface Grown {
  readonly before: Memory;
  readonly most: Memory;
  readonly growthMB: number;
}

/**
 * What all processes of the browser with this profile hold while `work` is done: the sum of their proportional set sizes, so that
 * memory that several have counts once. What the kernel keeps of files that were read is in it only where it is mapped.
 */
export async function memoryDuring(profile: string, work: () => Promise<void>): Promise<Grown> {
  const before = memoryOf(profile);
  let most = before;
  const timer = setInterval(() => {
    const now = memoryOf(profile);
    if (now.all > most.all) most = now;
  }, LOOK_MS);
  await work().finally(() => clearInterval(timer));
  return { before, most, growthMB: most.all - before.all };
}

/** Of all processes of the browser with this profile, now. */
export function memoryOf(profile: string): Memory {
  const maps = processesOf(profile).map((pid) => readProcess(pid, "smaps_rollup"));
  const sum = (field: string) =>
    Math.round(
      maps.reduce((sum, map) => sum + Number(new RegExp(`^${field}:\\s*(\\d+)`, "m").exec(map)?.[1] ?? 0), 0) / 1e3,
    );
  return { all: sum("Pss"), own: sum("Pss_Anon"), shared: sum("Pss_Shmem"), files: sum("Pss_File") };
}
