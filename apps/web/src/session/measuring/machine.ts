import { type Cancel, type Clock, every, milli } from "@sealcast/time";

/** How the computer does, as far as the page is told. */
export interface MachineLoad {
  /** Milliseconds of this page's thread in tasks of more than 50, since the last call; null where the browser does not tell. */
  longTasks: number | null;
  /** How hard the processor works: nominal, fair, serious or critical; null where the browser does not tell. */
  pressure: string | null;
  /** Bytes of this page and its workers; NaN before they are known, null where the browser does not tell. */
  memory: number | null;
}

/** The Compute Pressure API and memory measuring: Chromium's, and not in the platform's types. */
declare class PressureObserver {
  constructor(changed: (records: { state: string }[]) => void);
  observe(source: "cpu", options: { sampleInterval: number }): Promise<void>;
  disconnect(): void;
}
interface Measuring {
  measureUserAgentSpecificMemory?(): Promise<{ bytes: number }>;
}

/** Browsers answer with the next collection of garbage, so asking more often is of no use. */
const MEMORY_EVERY = milli(20_000);

/** Watches the machine until it is closed. */
export class MachineWatch {
  readonly #tasks: PerformanceObserver | null;
  #pressures: PressureObserver | null = null;
  readonly #cancel: Cancel;
  #longTasks = 0;
  #pressure: string | null = null;
  #memory: number | null = Number.NaN;

  constructor(clock: Clock) {
    const canTell = PerformanceObserver.supportedEntryTypes.includes("longtask");
    this.#tasks = canTell ? new PerformanceObserver((list) => this.#add(list)) : null;
    this.#tasks?.observe({ entryTypes: ["longtask"] });
    void this.#press();
    void this.#weigh();
    this.#cancel = every(clock, MEMORY_EVERY, () => void this.#weigh());
  }

  load(): MachineLoad {
    const longTasks = this.#tasks === null ? null : this.#longTasks;
    this.#longTasks = 0;
    return { longTasks, pressure: this.#pressure, memory: this.#memory };
  }

  close(): void {
    this.#tasks?.disconnect();
    this.#pressures?.disconnect();
    this.#cancel();
  }

  #add(list: PerformanceObserverEntryList): void {
    for (const { duration } of list.getEntries()) this.#longTasks += duration;
  }

  async #press(): Promise<void> {
    if (!("PressureObserver" in globalThis)) return;
    this.#pressures = new PressureObserver((records) => {
      this.#pressure = records.at(-1)?.state ?? null;
    });
    // Rejects where this computer has no such sensor.
    await this.#pressures.observe("cpu", { sampleInterval: 1_000 }).catch(() => undefined);
  }

  async #weigh(): Promise<void> {
    const measuring = performance as Performance & Measuring;
    // Rejects where something in the page cannot be measured.
    const weighed = await measuring.measureUserAgentSpecificMemory?.().catch(() => null);
    this.#memory = weighed?.bytes ?? null;
  }
}
