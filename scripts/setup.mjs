// What every command needs first: the right Node, the installed packages, and a way to run a tool.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** The built page of the lab. */
export const labPage = join(root, "apps/lab/dist/page");

/** Ends the command with a message that says what to do. */
export function fail(message) {
  console.error(`\n${message}`);
  process.exit(1);
}

/** Checks Node's version, and installs packages when they are not those of package-lock.json. */
export async function setUp() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    fail(`Sealcast needs Node 20.19 or newer; this is ${process.versions.node}. Get one from https://nodejs.org.`);
  }
  const lock = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  const stamp = join(root, "node_modules/.sealcast-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  // Beside what a command prints: that may be JSON.
  console.error("Installing packages ...");
  // Not `npm ci`: it refuses a lock file that lacks another platform's optional packages, as a partial registry makes it.
  const { code } = await run("npm", ["install", "--include=dev", "--no-save", "--loglevel=error"], {
    stdio: ["inherit", 2, 2],
  });
  if (code !== 0) fail("The packages could not be installed: see the lines above.");
  writeFileSync(stamp, lock);
}

/** Path of a tool that a package in node_modules installs. */
export const tool = (name) => join(root, "node_modules/.bin", name);

/** A child process in the repository's root that shares this one's terminal. */
export function start(command, args, options = {}) {
  return spawn(command, args, { cwd: root, stdio: "inherit", ...options });
}

/** Runs a command to its end. With `quiet`, its output is returned and not shown. */
export function run(command, args, { quiet = false, ...options } = {}) {
  const child = start(command, args, quiet ? { ...options, stdio: ["ignore", "pipe", "pipe"] } : options);
  let output = "";
  const collect = (text) => {
    output += text;
  };
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", collect);
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: 1, output: `${command}: ${error.message}` }));
    child.on("close", (code, signal) => resolve({ code: code ?? 1, output: signal ? `${output}${signal}\n` : output }));
  });
}

/** What a program says of its version; "" when it is not there or does not start. */
export async function versionOf(path) {
  if (!existsSync(path)) return "";
  const { code, output } = await run(path, ["--version"], { quiet: true });
  return code === 0 ? output : "";
}

/** Installs a package of Debian's, where that can be done. */
export async function installPackage(name) {
  if (!existsSync("/usr/bin/apt-get") || process.getuid?.() !== 0) return;
  console.log(`Trying Debian's package ${name} ...`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await run("apt-get", ["update", "-qq"], { env });
  await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name], { env });
}

/** Where our own source files are. */
export const folders = ["apps", "e2e", "packages", "server"];

/** Our own TypeScript files in those folders, relative to the root. */
export function sources() {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
      .filter((file) => /\.tsx?$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file)),
  );
}
