const everywhere = ["packages/bytes", "packages/time"];

/** What gives the lab's page the product's look: nothing of the product is measured by it. */
const look = ["base.css", "button.module.css", "wide-table.tsx", "download.ts"].map(
  (file) => `apps/web/src/ui/${file}`,
);

/** Who may import whom among our own folders, besides itself. ARCHITECTURE.md explains it; this is its text. */
const may = {
  "packages/bytes": [],
  "packages/time": [],
  "packages/protocol": everywhere,
  "packages/frame": everywhere,
  "packages/crypto": everywhere,
  "packages/metrics": everywhere,
  "packages/sound": everywhere,
  "packages/testbed": [],
  "packages/latency": [...everywhere, "packages/metrics"],
  "packages/recording": everywhere,
  "packages/captions": [...everywhere, "packages/sound", "packages/testbed"],
  "packages/effects": [...everywhere, "packages/sound"],
  "packages/player": [...everywhere, "packages/protocol"],
  "packages/keys": [...everywhere, "packages/crypto", "packages/protocol"],
  "packages/media": [
    ...everywhere,
    ...["packages/crypto", "packages/frame", "packages/keys", "packages/metrics", "packages/protocol"],
  ],
  "packages/vault": [...everywhere, "packages/crypto", "packages/keys"],
  "packages/network": [...everywhere, "packages/protocol", "packages/keys", "packages/metrics"],
  server: [...everywhere, "packages/protocol", "packages/testbed"],
  "apps/web": ["packages"],
  "apps/lab": ["packages", ...look],
  e2e: [...everywhere, "packages/latency", "packages/recording", "packages/testbed"],
  "apps/web/src/session": ["packages"],
  "apps/web/src/ui": [...everywhere, "apps/web/src/session", "packages/metrics"],
};

/** Files of one package that run on different threads share messages, nothing else. */
const withThreads = ["captions", "effects", "keys", "media", "latency", "player", "recording", "testbed", "vault"].map(
  (name) => `packages/${name}`,
);
const threads = [...withThreads, "apps/lab"].flatMap((of) => [
  { from: `${of}/src/page`, never: `${of}/src/worker` },
  { from: `${of}/src/worker`, never: `${of}/src/(page/|index\\.ts$)` },
  { from: `${of}/src/shared`, never: `${of}/src/(page/|worker/|index\\.ts$)` },
]);
/** An audio worklet is a thread of its own: a page has its address, and nobody else anything of it. */
threads.push(
  { from: "packages/player/src/worklet", never: "packages/player/src/(page|worker)/" },
  { from: "packages/player/src/(worker|shared)", never: "packages/player/src/worklet/" },
);

/** What each folder of the keys worker may import of the others: what holds keys to a room knows nothing of the room. */
const jobs = {
  identity: [],
  mls: ["identity"],
  room: ["identity", "mls"],
  live: ["identity"],
};

/** In a folder of the lab's experiments a file's name says where it runs: without such an ending, anywhere. */
const ending = (...of) => `^apps/lab/experiments/.*\\.(${of.join("|")})\\.ts$`;
const page = [ending("page"), "^apps/lab/src/(page|ui)/"];
const worker = [ending("worker", "in-worker"), "^apps/lab/src/worker/"];
const command = [ending("command"), "^apps/lab/command/"];
const anywhere = ["^apps/lab/experiments/", "^apps/lab/src/shared/"];
const inLab = [
  { name: "what runs in the lab's pages has nothing of workers", from: page, never: worker },
  { name: "what runs in the lab's workers has nothing of pages", from: worker, never: page },
  {
    name: "what runs anywhere in the lab has nothing of one thread",
    from: anywhere,
    besides: [...page, ...worker, ...command],
    never: [...page, ...worker],
  },
  {
    name: "the lab's pages have nothing of its command, where the broken ciphers are",
    from: [...page, ...worker, ...anywhere],
    besides: command,
    never: command,
  },
];

const anyOf = (folders) => folders.map((folder) => `^${folder}(/|$)`);
const own = "^(packages|apps|server|e2e)/";
const tests = "\\.(test|cases)\\.tsx?$";

export default {
  forbidden: [
    ...Object.entries(may).map(([from, to]) => ({
      name: `${from} may import ${to.join(", ") || "nothing"}`,
      severity: "error",
      from: { path: anyOf([from]) },
      to: { path: own, pathNot: anyOf([from, ...to]) },
    })),
    {
      name: "every workspace has a line in the table",
      severity: "error",
      from: { path: own, pathNot: anyOf(Object.keys(may)) },
      to: {},
    },
    ...threads.map(({ from, never }) => ({
      name: `${from} never imports ${never}`,
      severity: "error",
      from: { path: anyOf([from]), pathNot: tests },
      to: { path: `^${never}`, pathNot: "\\.worker\\.ts$" },
    })),
    ...Object.entries(jobs).map(([job, others]) => ({
      name: `of the keys worker, ${job} may import ${others.join(", ") || "no other job"}`,
      severity: "error",
      from: { path: `^packages/keys/src/worker/${job}/`, pathNot: tests },
      to: {
        path: "^packages/keys/src/worker/[^/]+/",
        pathNot: anyOf([job, ...others].map((of) => `packages/keys/src/worker/${of}`)),
      },
    })),
    {
      name: "bytes and time import nothing",
      severity: "error",
      from: { path: "^packages/(bytes|time)/", pathNot: tests },
      to: { pathNot: "^packages/(bytes|time)/" },
    },
    {
      name: "what runs in a browser imports no Node module",
      severity: "error",
      from: {
        path: "^(packages/[^/]+/src|apps/[^/]+/src|apps/lab/experiments)/",
        pathNot: [tests, ...command, "^packages/latency/src/playwright/", "^packages/testbed/src/node/"],
      },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "the product has nothing of what measures and tests it",
      severity: "error",
      from: { path: "^(apps/web|packages/captions)/", pathNot: tests },
      to: { path: "^packages/(latency|testbed)/" },
    },
    {
      name: "React only in ui",
      severity: "error",
      from: { path: own, pathNot: "^apps/(web/(src/ui/|src/main\\.tsx$|vite\\.config\\.ts$)|lab/src/ui/)" },
      to: { path: "^node_modules/(@types/)?(react|react-dom|@lingui/react|wouter)/" },
    },
    ...inLab.map(({ name, from, besides = [], never }) => ({
      name,
      severity: "error",
      from: { path: from, pathNot: [tests, ...besides] },
      to: { path: never },
    })),
    {
      name: "one file a purpose imports libsodium",
      severity: "error",
      from: { path: own, pathNot: "^packages/crypto/src/(second-layer|chacha|argon2id)\\.ts$" },
      to: { path: "^node_modules/(@types/)?libsodium" },
    },
    {
      name: "of the product, workers of recording alone load mediabunny, and the lab where it makes recordings",
      severity: "error",
      from: {
        path: own,
        pathNot: [
          "^packages/recording/src/worker/",
          "^apps/lab/experiments/vault/long-recording\\.page\\.ts$",
          "^e2e/stage/",
          tests,
        ],
      },
      to: { path: "^node_modules/mediabunny/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "the worker of captions alone loads what makes them, and of Moonshine's package only files are taken",
      severity: "error",
      from: { path: own, pathNot: "^packages/captions/src/worker/moonshine\\.ts$" },
      to: { path: "^node_modules/(@moonshine-ai|onnxruntime-web|llama-tokenizer-js)/", pathNot: "\\.(onnx|wasm)$" },
    },
    { name: "no cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "every import resolves", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(server|(apps|packages)/[^/]+)/dist/" },
    tsPreCompilationDeps: true,
    webpackConfig: { fileName: ".dependency-cruiser.resolve.mjs" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "browser", "default", "types"],
      extensions: [".ts", ".tsx", ".js", ".mjs", ".d.ts"],
    },
  },
};
