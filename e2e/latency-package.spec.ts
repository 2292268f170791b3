import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { executablePath, flags, root, startLiveKit } from "@sealcast/testbed";
import { Dashboard } from "./stage/dashboard.ts";
import { serveFolder } from "./stage/folder.ts";
import { expect, test } from "./stage/test.ts";

const run = promisify(execFile);
const { LIVEKIT_DEMO = "" } = process.env;

test.setTimeout(300_000);

test("packed and installed elsewhere, it measures a page that knows nothing of it, as its README says", async ({
  server,
  person,
}) => {
  const project = await Project.install();
  const page = await serveFolder(join(root, "e2e/pages"));
  try {
    await project.typeCheck("plain.spec.ts");
    const output = await project.test("plain.spec.ts", { BASE_URL: page.address });
    test.info().annotations.push({ type: "latency", description: output });
    expect(output).toMatch(/p50 [\d.]+ ms, p95 [\d.]+, p99 [\d.]+; \d+ frames/);

    const dashboard = await Dashboard.read(await person("Ada"), server.url, join(project.folder, "plain.json"));
    expect(await dashboard.endToEnd()).toBeGreaterThan(0);
    await expect(dashboard.region("Latency")).toContainText("by stamps drawn into the frames");
  } finally {
    page.close();
    project.remove();
  }
});

test("packed and installed elsewhere, a page loads it without a bundler, as its README says", async ({ page }) => {
  const project = await Project.install();
  const site = await serveFolder(project.folder);
  try {
    await page.goto(`${site.address}/page.html`);
    await expect(page.getByRole("status")).toContainText("frames", { timeout: 30_000 });
    const { p50, frames } = JSON.parse((await page.getByRole("status").textContent()) ?? "");
    expect(p50).toBeGreaterThan(0);
    expect(frames).toBeGreaterThan(10);
  } finally {
    site.close();
    project.remove();
  }
});

test("packed and installed elsewhere, it measures LiveKit's own demo page, as its README says", async () => {
  test.skip(LIVEKIT_DEMO === "", "LIVEKIT_DEMO names the demo");
  const relay = await startLiveKit();
  if (relay === null) return test.skip(true, "no livekit-server");
  const project = await Project.install();
  const page = await serveFolder(LIVEKIT_DEMO);
  const addressOf = (who: string) =>
    `${page.address}/?${new URLSearchParams({ url: relay.url, token: relay.token(who, "test") })}`;
  try {
    await project.typeCheck("livekit.spec.ts");
    const output = await project.test("livekit.spec.ts", { ADA: addressOf("ada"), BEN: addressOf("ben") });
    test.info().annotations.push({ type: "latency", description: output });
    expect(output).toContain("2 passed");
  } finally {
    await relay.program.stop();
    page.close();
    project.remove();
  }
});

/** A project outside the repository, with the packed package in it and the code blocks of its README as files. */
class Project {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async install(): Promise<Project> {
    const folder = mkdtempSync(join(tmpdir(), "sealcast-latency-"));
    await run(process.execPath, [join(root, "scripts/pack-latency.mjs"), folder], { cwd: root });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "elsewhere", private: true, type: "module" }));
    await npm(
      folder,
      "install",
      "--offline",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "./sealcast-latency-0.1.0.tgz",
    );
    // Without a network: the runner and its types are this repository's.
    for (const name of ["@playwright/test", "playwright", "playwright-core", "@types/node", "undici-types"])
      link(folder, name);
    const project = new Project(folder);
    project.#writeReadme();
    return project;
  }

  /** By the strictest rules, also of the package's declarations. */
  async typeCheck(spec: string): Promise<void> {
    const options = {
      strict: true,
      noEmit: true,
      target: "es2022",
      module: "nodenext",
      types: ["node"],
      lib: ["es2023", "dom"],
    };
    writeFileSync(join(this.folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: [spec] }));
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", this.folder]).catch(failed);
  }

  /** What the runner printed. */
  async test(spec: string, env: Record<string, string>): Promise<string> {
    const cli = join(this.folder, "node_modules/@playwright/test/cli.js");
    const { PATH = "", HOME = "" } = process.env;
    const args = [cli, "test", "-c", "here.config.ts", "--reporter=line", spec];
    const options = { cwd: this.folder, env: { PATH, HOME, ...env } };
    return (await run(process.execPath, args, options).catch(failed)).stdout;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #writeReadme(): void {
    const readme = readFileSync(join(this.folder, "node_modules/@sealcast/latency/README.md"), "utf8");
    for (const [, code = "", name = ""] of readme.matchAll(/^```\w+\n((?:\/\/|<!--) (\S+\.(?:ts|html))\b.*?)^```$/gms))
      writeFileSync(join(this.folder, name), code);
    // The README's configuration, in this computer's Chromium.
    const here = JSON.stringify({ executablePath, args: flags });
    writeFileSync(
      join(this.folder, "here.config.ts"),
      `import config from "./playwright.config";\nexport default { ...config, workers: 1, use: { ...config.use, launchOptions: ${here} } };\n`,
    );
  }
}

function npm(cwd: string, ...args: string[]) {
  return run("npm", args, { cwd }).catch(failed);
}

function link(folder: string, name: string): void {
  const path = join(folder, "node_modules", name);
  mkdirSync(join(path, ".."), { recursive: true });
  symlinkSync(join(root, "node_modules", name), path);
}

/** With what the program printed: the error of `execFile` has its command only. */
function failed({ message, stdout, stderr }: Error & { stdout?: string; stderr?: string }): never {
  throw new Error([message, stdout, stderr].join("\n"));
}
