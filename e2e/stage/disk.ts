import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "./expect.ts";

/** Bytes of a plain file that are looked for on the disk, and how many such places. */
const MARK_BYTES = 48;
const MARKS = 40;

/** All processes of the browser with that profile, as when a computer loses its power. */
export function kill(profile: string): void {
  for (const pid of processesOf(`user-data-dir=${profile}`)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended with another.
    }
  }
}

function processesOf(command: string): number[] {
  const rows = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8", maxBuffer: 16 * 2 ** 20 }).split("\n");
  return rows.filter((row) => row.includes(command)).map((row) => Number.parseInt(row, 10));
}

/** Files below `folder` in which some bytes of the file `plain` are found, taken from places all over it. */
export function inTheClear(folder: string, plain: string): string[] {
  const marks = marksOf(plain);
  return filesIn(folder).filter((file) => holds(file, marks));
}

function holds(file: string, marks: Buffer[]): boolean {
  const bytes = readFileSync(file);
  return marks.some((mark) => bytes.includes(mark));
}

function marksOf(plain: string): Buffer[] {
  const { size } = statSync(plain);
  expect(size).toBeGreaterThan(100_000);
  const step = Math.floor((size - MARK_BYTES) / MARKS);
  const file = openSync(plain, "r");
  const marks = Array.from({ length: MARKS }, (_, i) => {
    const mark = Buffer.alloc(MARK_BYTES);
    readSync(file, mark, 0, MARK_BYTES, i * step);
    return mark;
  });
  closeSync(file);
  return marks;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}
