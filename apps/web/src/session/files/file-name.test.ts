import { expect, test } from "vitest";
import { canRun, safeFileName } from "./file-name.ts";

test.each([
  ["report.pdf", "report.pdf"],
  ["Bericht über Größe.pdf", "Bericht über Größe.pdf"],
  ["../../../etc/passwd", "passwd"],
  ["C:\\Windows\\system32\\evil.dll", "evil.dll"],
  ["a/b\\c.txt", "c.txt"],
  ["..", "file"],
  ["", "file"],
  ["   ", "file"],
  ["/", "file"],
  [".bashrc", "bashrc"],
  ["name.", "name"],
  ["name.txt. . .", "name.txt"],
  ["report\u202efdp.exe", "reportfdp.exe"],
  ["a\u200b\u2066b\u2069.txt", "ab.txt"],
  ["line\r\nbreak\0.txt", "linebreak.txt"],
  ['a<b>c:d"e|f?g*.txt', "abcdefg.txt"],
  ["report.pdf                                        .exe", "report.pdf .exe"],
  ["CON", "_CON"],
  ["nul.txt", "_nul.txt"],
  ["Com1.tar.gz", "_Com1.tar.gz"],
  ["console.log", "console.log"],
  ["\ud800.txt", "\ufffd.txt"],
])("%j is written as %j", (raw, name) => {
  expect(safeFileName(raw)).toBe(name);
});

test("a long name is cut, and keeps its ending", () => {
  const name = safeFileName(`${"é".repeat(240)}.exe`);
  expect([...name].length).toBe(120);
  expect(name.endsWith(".exe")).toBe(true);
  expect(safeFileName(`x.${"y".repeat(250)}`).length).toBe(120);
});

test.each([
  "a.exe",
  "A.EXE",
  "a.pdf.scr",
  "run.sh",
  "page.html",
  "picture.svg",
  "macros.docm",
  "a.lnk",
  "a.desktop",
  "b.jar",
  "a.jnlp",
  "a.diagcab",
  "a.accdb",
  "a.mdb",
  "a.xla",
  "a.xlt",
  "a.pps",
  "a.ppa",
  "a.tool",
  "a.msu",
  "a.rdp",
  "a.scpt",
  "a.sparseimage",
  "a.flatpak",
  "a.oxt",
])("%s can run", (name) => expect(canRun(name)).toBe(true));

test.each(["a.pdf", "a.jpg", "exe", "a.exe.txt", "notes", "a.docx", "a.xlsx", "a.odt", "a.zip", "a.mp4", "a.csv"])(
  "%s cannot by itself",
  (name) => expect(canRun(name)).toBe(false),
);
