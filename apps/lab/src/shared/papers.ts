/** The five papers' tables. Every figure of the papers that stands beside one of ours comes from here. */

export interface Paper {
  readonly title: string;
  readonly authors: string;
  readonly machine: string;
  /** What its system does, in a sentence. */
  readonly does: string;
  readonly tables: readonly PaperTable[];
}

export interface PaperTable {
  /** Unique among all papers. */
  readonly name: string;
  readonly title: string;
  readonly columns: readonly string[];
  /** Of each column. */
  readonly units: readonly string[];
  readonly rows: readonly PaperRow[];
  /** What is to be known beside it. */
  readonly note?: string;
}

interface PaperRow {
  readonly name: string;
  /** One for each column; null where the paper has none. */
  readonly values: readonly (number | null)[];
  readonly note?: string;
}

const PERCENTS = ["25 %", "50 %", "75 %"];
const MS = ["ms", "ms", "ms"];
const NOT_OFFERED = "We offer no key so short.";
const KEY_SIZES = "The paper counts its keys in hexadecimal characters: 32, 64 and 128 bits.";

/** Times or sizes for each of the paper's keys and each share of packets that is encrypted. */
function byKey(name: string, title: string, units: readonly string[], values: readonly (readonly number[])[]) {
  const keys = ["key 8", "key 16", "key 32"];
  const rows = keys.map((key, i) => ({
    name: key,
    values: values[i] ?? [],
    ...(key === "key 32" ? {} : { note: NOT_OFFERED }),
  }));
  return { name, title, columns: PERCENTS, units, rows, note: KEY_SIZES };
}

export const papers = {
  "selective-gcm": {
    title:
      "Selective-Packet Encryption Scheme with Authentication for Real-time Video Streaming Session using AES-256-GCM",
    authors: "Batinga, Valladolid, Peradilla",
    machine: "two laptops with Intel Core i5-8250U at 1.6 GHz and 8 GB, 802.11ac",
    does: "AES-256-GCM on a selected share of a video's packets, one flag bit a packet, 720p MJPEG of 95,000 bytes a packet.",
    tables: [
      byKey("enc", "L_Enc: a packet is made and sealed", MS, [
        [1.44, 2.25, 2.77],
        [1.54, 2.26, 2.96],
        [1.67, 2.42, 3.35],
      ]),
      byKey("dec", "L_Dec: a packet is opened", MS, [
        [13.87, 25.3, 35.82],
        [14.22, 24.63, 37.37],
        [15.24, 26.72, 38.75],
      ]),
      byKey(
        "memory",
        "Memory of the sender",
        ["MB", "MB", "MB"],
        [
          [19.39, 22.52, 25.88],
          [22.85, 24.39, 25.29],
          [20.34, 24.49, 24.16],
        ],
      ),
      byKey("wlan", "L_E2E: from camera to screen over WLAN (ours: one computer)", MS, [
        [507.85, 504.11, 523.07],
        [512.02, 517.52, 578.66],
        [515.58, 518.5, 589.01],
      ]),
      byKey("slow", "L_E2E: from camera to screen over 5 Mbit/s", MS, [
        [521.69, 535.06, 542.53],
        [524.03, 540.9, 589.34],
        [519.66, 545.27, 612.88],
      ]),
      {
        name: "cpu",
        title: "CPU of the sender at 50 %, its longest key",
        columns: ["lowest", "highest"],
        units: ["%", "%"],
        rows: [{ name: "key 32", values: [5.32, 14.53] }],
        note: "The paper's has the camera in it; ours is of one core, making and sealing packets only.",
      },
    ],
  },
  "parallel-threads": {
    title: "Scalable Video Encryption for Real-Time Applications Using Parallel Computing Models",
    authors: "Al-Khafaji, Alwahab, Abdullah, Alzuabidi, Alwahab",
    machine: "Intel Core i5-8350U at 1.6 GHz with 8 threads and 16 GB, Python",
    does: "1920x1080 frames cut into chunks, which a queue hands to T workers; AES-256-CTR without authentication.",
    tables: [
      {
        name: "chunks",
        title: "54 MB of frames (1200 ms at 45 MB/s)",
        columns: ["time", "throughput", "CPU", "speed-up"],
        units: ["ms", "MB/s", "%", "times"],
        rows: [
          { name: "1 thread", values: [1200, 45, 25, 1] },
          { name: "2 threads", values: [720, 78, 48, 1.67] },
          { name: "4 threads", values: [410, 135, 76, 2.93] },
          { name: "8 threads", values: [260, 210, 92, 4.62] },
        ],
        note: "Ours is AES-256-GCM, which authenticates; AES-256-CTR is the comparator.",
      },
      {
        name: "clips",
        title: "Three whole clips at 30 frames a second",
        columns: ["sequential", "parallel", "speed-up", "CPU", "rate"],
        units: ["s", "s", "times", "%", "Mbit/s"],
        rows: [
          { name: "low motion", values: [120, 45, 2.67, 85, 18] },
          { name: "medium motion", values: [200, 70, 2.86, 88, 15] },
          { name: "high motion", values: [95, 35, 2.71, 80, 20] },
        ],
        note: "We do not have these clips and measure nothing beside them.",
      },
    ],
  },
  "multicast-bandwidth": {
    title: "Research on the Performance of Encryption Techniques for High-Bandwidth Multicast Video Streaming",
    authors: "Li, Chen, Shang",
    machine: "Intel E5405 at 2.0 GHz with 4 GB, Linux, Python",
    does: "Which cipher keeps up with packets of 1324 bytes from 1 to 1000 Mbit/s, on one core.",
    tables: [
      {
        name: "critical",
        title: "Critical bandwidth: the highest that a cipher keeps up with",
        columns: ["bandwidth"],
        units: ["Mbit/s"],
        rows: [
          { name: "AES-128", values: [250] },
          { name: "DES-56 (broken)", values: [200] },
          { name: "RC4-128 (broken)", values: [350] },
        ],
        note: "The paper shows Te for text, audio and video packets as bars without figures.",
      },
    ],
  },
  "multilevel-gpu": {
    title: "Performance Analysis of Network Efficiency Based on Multi-Level Encryption Algorithms",
    authors: "Aldabagh, Alsaif, Younis",
    machine: "GPU: Tesla T4 on Google Colab. CPU: Intel Core i7-12700H with 16 GB, Python",
    does: "AES, DES (broken) and AES over DES on 1 to 50,000 images of 3072 bytes, on a CPU and on a GPU.",
    tables: [
      {
        name: "gpu",
        title: "Images encrypted on a GPU",
        columns: ["1", "10", "100", "1000", "10000", "50000"],
        units: ["s", "s", "s", "s", "s", "s"],
        rows: [
          { name: "AES", values: [0.000203, 0.000224, 0.01164, 0.0981, 0.3352, 0.7897] },
          { name: "DES (broken)", values: [0.1338, 0.1254, 0.3279, 0.1972, 0.4659, 4.9089] },
          { name: "AES over DES (broken)", values: [0.0084, 0.001, 0.0116, 0.1778, 0.4772, 2.4875] },
        ],
        note: "A column is a number of images. Our DES and AES over DES, both broken, run on a CPU. Our counterpart of AES over DES is AES-256-GCM, then XChaCha20-Poly1305.",
      },
      {
        name: "cpu-50000",
        title: "50,000 images encrypted on a CPU",
        columns: ["time"],
        units: ["s"],
        rows: [
          { name: "AES", values: [6.4512] },
          { name: "DES (broken)", values: [14.2783] },
          { name: "AES over DES (broken)", values: [16.6165], note: "from its claim of 6.68 times" },
        ],
      },
      {
        name: "gpu-speed-up",
        title: "GPU over CPU, 50,000 images",
        columns: ["speed-up"],
        units: ["times"],
        rows: [
          { name: "AES", values: [8.13] },
          { name: "DES (broken)", values: [3.08] },
          { name: "AES over DES (broken)", values: [6.68] },
        ],
      },
      {
        name: "batch-memory",
        title: "Memory",
        columns: ["least", "most"],
        units: ["MB", "MB"],
        rows: [{ name: "all", values: [943, 1530] }],
      },
    ],
  },
  parallelfs: {
    title: "Dynamic Multimedia Encryption Using a Parallel File System Based on Multi-Core Processors",
    authors: "Khashan and others",
    machine: "Intel Core i5-2450M at 2.5 GHz with 2 cores and 4 GB, disk at 7200 rpm, Ubuntu 18.04, ext4",
    does: "Media files encrypted transparently: a key a file, blocks of 4 KiB by 4 threads, Blowfish-128-CTR (broken), random access.",
    tables: [
      {
        name: "files",
        title: "Files of 5 to 50 MB",
        columns: ["write", "read"],
        units: ["MB/s", "MB/s"],
        rows: [
          { name: "encrypted", values: [19.2, 37.1] },
          { name: "plain", values: [123.2, 155.1] },
        ],
      },
      {
        name: "gain",
        title: "Parallel over sequential encryption",
        columns: ["write", "read"],
        units: ["%", "%"],
        rows: [{ name: "faster by", values: [35, 22] }],
      },
      {
        name: "others",
        title: "ParallelFS over other encrypting file systems",
        columns: ["write", "read"],
        units: ["%", "%"],
        rows: [
          { name: "faster than ImgFS by", values: [33.3, 26.4] },
          { name: "faster than EncFS by", values: [41.2, 17.6] },
        ],
        note: "We measure nothing beside these file systems.",
      },
    ],
  },
} as const satisfies Record<string, Paper>;

export type PaperName = keyof typeof papers;

export const paperList: readonly (readonly [PaperName, Paper])[] = Object.entries(papers) as [PaperName, Paper][];

/** The name of one figure. */
export function figureKey(table: string, row: string, column: string): string {
  return `${table}/${row}/${column}`;
}

const figures: ReadonlyMap<string, number | null> = new Map(
  paperList.flatMap(([, { tables }]) =>
    tables.flatMap(({ name, columns, rows }) =>
      rows.flatMap((row) =>
        columns.map((column, i): [string, number | null] => [figureKey(name, row.name, column), row.values[i] ?? null]),
      ),
    ),
  ),
);

/** Null where the paper has none. Throws for a name that no table has: a mistake in the code. */
export function paperFigure(table: string, row: string, column: string): number | null {
  const key = figureKey(table, row, column);
  const value = figures.get(key);
  if (value === undefined) throw new Error(`no paper's table has ${key}`);
  return value;
}

/** Whether a table has a figure of this name. */
export function isFigure(key: string): boolean {
  return figures.has(key);
}
