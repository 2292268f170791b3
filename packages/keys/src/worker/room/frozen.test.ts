import { writeFile } from "node:fs/promises";
import { test } from "vitest";
import { freeze, frozenCases } from "./frozen.cases.ts";

if (process.env.FREEZE === undefined) frozenCases();
else
  test("records the room again", async () => {
    await writeFile(new URL("../../../vectors/frozen/room.json", import.meta.url), await freeze());
  });
