import { colouredSources, resize, sees } from "./stage/coloured.ts";
import { onlyCodec } from "./stage/only-codec.ts";
import type { Person } from "./stage/person.ts";
import { expect, type Stage, test } from "./stage/test.ts";

test.setTimeout(240_000);
/** Counts are shown once a second, and a dialog opens slowly on a machine that runs four browsers. */
const SHOWN = { timeout: 30_000 };

for (const codec of ["VP8", "VP9", "H264", "AV1"]) {
  test(`three people: each encodes and seals once in ${codec}, and everybody sees everybody`, {
    tag: codec === "H264" ? "@journey" : [],
  }, async ({ server, person }) => {
    const options = { before: pictureIn(codec) };
    const [ada, ben, cleo] = [
      await person("Ada", options),
      await person("Ben", options),
      await person("Cleo", options),
    ];
    const link = await ada.startCall(server.url);
    await ben.open(link);
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    expect(await encoding(ada)).toContain("encoded for each person");
    await cleo.open(link);
    await seeEachOther([ada, ben, cleo]);
    await expect.poll(() => encoding(ada), SHOWN).toContain("for 2 people");
    for (const one of [ada, ben, cleo]) await expect(one.badge).toHaveText("encrypted");
    expect(await encoding(ada)).toContain("once for");
    await expect
      .poll(() => ada.sealedForSeveral("camera"), { ...SHOWN, message: "frames that went to both" })
      .toBeGreaterThan(0);
    expect(await ownEncoders(ada), "links of Ada's that encode her picture themselves").toBe(0);
  });
}

test("a fourth comes late and gets a picture; when all but two are gone, the links encode again", async ({
  server,
  person,
}) => {
  const [ada, ben, cleo, dora] = [await person("Ada"), await person("Ben"), await person("Cleo"), await person("Dora")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await cleo.open(link);
  await Promise.all([ben.seesMoving("Ada"), cleo.seesMoving("Ada")]);
  await dora.open(link);
  await Promise.all([dora.seesMoving("Ada"), dora.seesMoving("Ben"), ben.seesMoving("Ada"), ada.seesMoving("Dora")]);
  await expect.poll(() => encoding(ada), SHOWN).toContain("for 3 people");
  expect(await ownEncoders(ada)).toBe(0);
  for (const one of [ada, dora]) await expect(one.badge).toHaveText("encrypted");
  for (const one of [cleo, dora]) await one.page.getByRole("button", { name: "Leave call" }).click();
  await expect.poll(() => encoding(ada), SHOWN).toContain("encoded for each person");
  await expect.poll(() => ownEncoders(ada), SHOWN).toBe(1);
  await Promise.all([ben.seesMoving("Ada"), ada.seesMoving("Ben")]);
  await expect(ada.badge).toHaveText("encrypted");
  await expect(ben.badge).toHaveText("encrypted");
});

test("nobody gets a picture larger than they show it, and a page that nobody sees gets the smallest", async ({
  server,
  person,
}) => {
  const { ada, ben, cleo } = await three(server, person, { lines: 360, context: { deviceScaleFactor: 1 } });
  await expect.poll(() => encoding(ada), SHOWN).toContain("for 2 people, at 360p");
  await cleo.page.setViewportSize({ width: 320, height: 700 });
  await expect.poll(() => encoding(ada), SHOWN).toContain("360p for 1 and 180p for 1");
  await ben.page.evaluate(hide);
  await expect.poll(() => encoding(ada), SHOWN).toContain("for 2 people, at 180p");
  await Promise.all([ben.seesMoving("Ada"), cleo.seesMoving("Ada")]);
  await ben.page.evaluate(show);
  await expect.poll(() => encoding(ada), SHOWN).toContain("360p for 1 and 180p for 1");
  await ben.seesMoving("Ada");
});

test("a camera that goes off and on, and media workers that die: everybody's picture is back", async ({
  server,
  person,
}) => {
  const { ada, ben, cleo } = await three(server, person);
  await expect.poll(() => encoding(ada), SHOWN).toContain("for 2 people");
  const camera = ada.page.getByRole("button", { name: "Camera", exact: true });
  await camera.click();
  await expect(ben.video("Ada")).toBeHidden();
  await camera.click();
  await Promise.all([ben.seesMoving("Ada"), cleo.seesMoving("Ada")]);
  expect(await ada.killMediaWorkers()).toBeGreaterThan(0);
  await expect(ada.page.getByText("A part of the page that seals frames had stopped. It was replaced.")).toBeVisible();
  await Promise.all([ben.seesMoving("Ada"), cleo.seesMoving("Ada"), ada.seesMoving("Ben")]);
  await expect.poll(() => encoding(ada), SHOWN).toContain("for 2 people");
  for (const one of [ada, ben, cleo]) await expect(one.badge).toHaveText("encrypted");
});

test("a camera that is turned upright and back: everybody gets the tall picture, and the wide one again", async ({
  server,
  person,
}) => {
  const ada = await person("Ada", { before: colouredSources });
  const others = [await person("Ben"), await person("Cleo")];
  const link = await ada.startCall(server.url);
  for (const other of others) await other.open(link);
  const all = (aspect: number) =>
    Promise.all(others.map((other) => sees(other, "Ada", { middle: "red", corner: "red", aspect })));
  await all(1.8);
  await expect.poll(() => encoding(ada), SHOWN).toContain("for 2 people");
  await resize(ada, "camera", 360, 640);
  await all(0.6);
  await resize(ada, "camera", 640, 360);
  await all(1.8);
  for (const one of [ada, ...others]) await expect(one.badge).toHaveText("encrypted", SHOWN);
});

/** A page that has one video codec. */
function pictureIn(codec: string): () => void {
  return new Function(`(${onlyCodec})("video/${codec}")`) as () => void;
}

async function seeEachOther(people: Person[]): Promise<void> {
  const pairs = people.flatMap((one) => people.filter((other) => other !== one).map((other) => [one, other] as const));
  await Promise.all(pairs.map(([one, other]) => one.seesMoving(other.name)));
}

/** Three people in a call, of whom Ada's picture is with the two others. */
async function three(server: Stage["server"], person: Stage["person"], options: Parameters<Stage["person"]>[1] = {}) {
  const [ada, ben, cleo] = [await person("Ada", options), await person("Ben", options), await person("Cleo", options)];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await cleo.open(link);
  await Promise.all([ben.seesMoving("Ada"), cleo.seesMoving("Ada")]);
  return { ada, ben, cleo };
}

/** What the encryption details say of how often this person's picture is encoded. */
async function encoding(person: Person): Promise<string> {
  await person.page.getByRole("button", { name: "Encryption details" }).click();
  const words = await person.page.getByRole("dialog").getByText("Your picture is encoded").textContent();
  await person.page.getByRole("button", { name: "Close" }).click();
  return words ?? "";
}

/** How many links encode this person's picture themselves, by the browser's word: those of a fan-out encode stand-ins. */
function ownEncoders(person: Person): Promise<number> {
  return person.page.evaluate(async () => {
    const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
    const live = connections.filter(({ connectionState }) => connectionState !== "closed");
    const reports = await Promise.all(live.map(async (connection) => [...(await connection.getStats()).values()]));
    return reports
      .flat()
      .filter(({ type, kind, frameWidth }) => type === "outbound-rtp" && kind === "video" && frameWidth > 32).length;
  });
}

/** Runs in the page: it is as if it were behind others, for its own scripts at least. */
function hide(): void {
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}

function show(): void {
  Reflect.deleteProperty(document, "hidden");
  document.dispatchEvent(new Event("visibilitychange"));
}
