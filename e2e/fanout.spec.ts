import { SHOWN } from "./stage/expect.ts";
import { onlyCodec } from "./stage/only-codec.ts";
import { ownEncoders } from "./stage/own-encoders.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

test.setTimeout(240_000);

for (const codec of ["VP9", "H264", "AV1"]) {
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
    // Two links that encode themselves, as the browser and the page say.
    for (const one of [ada, ben]) {
      await expect.poll(() => one.encodings()).toMatchObject([{ mimeType: `video/${codec}` }]);
      expect(await codecs(one), "what the details say of both pictures").toEqual([codec, codec]);
    }
    await cleo.open(link);
    await seeEachOther([ada, ben, cleo]);
    await expectSealedOnce([ada, ben, cleo]);
  });
}

test("the codec is one that all have: when someone comes who has VP8 alone, everybody changes, and encodes and seals once", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const cleo = await person("Cleo", { before: pictureIn("VP8") });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ben.seesMoving("Ada");
  expect(await codecs(ada)).toEqual(["H264", "H264"]);
  await cleo.open(link);
  await expect.poll(() => codecs(ada), SHOWN).toEqual(["VP8", "VP8", "VP8", "VP8"]);
  await seeEachOther([ada, ben, cleo]);
  await expectSealedOnce([ada, ben, cleo]);
});

test("a fourth comes late and all four meet; when the one who began it and another go, the links of the others encode again", async ({
  server,
  person,
}) => {
  // Small windows: without a GPU, painting four large ones takes more of the machine than the call does.
  const small = { context: { viewport: { width: 400, height: 500 } } };
  const [ada, ben, cleo, dora] = [
    await person("Ada", small),
    await person("Ben"),
    await person("Cleo", small),
    await person("Dora", small),
  ];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await cleo.open(link);
  await seeEachOther([ada, ben, cleo]);
  await dora.open(link);
  const four = [ada, ben, cleo, dora];
  await seeEachOther(four);
  await Promise.all(four.map((one) => one.hears()));
  await expect.poll(() => encoding(ben), SHOWN).toContain("for 3 people");
  expect(await ownEncoders(ben)).toBe(0);
  // Sound for three goes out in longer packets than browsers make by themselves.
  const lengths = await Promise.all(four.map((one) => one.page.evaluate(packetLengths)));
  expect(Math.max(...lengths.flat())).toBeGreaterThan(20);
  for (const one of [ben, dora]) await expect(one.badge).toHaveText("encrypted");
  for (const one of [ada, dora]) await one.page.getByRole("button", { name: "Leave call" }).click();
  for (const name of ["Ada", "Dora"]) for (const one of [ben, cleo]) await expect(one.tile(name)).toHaveCount(0);
  await expect.poll(() => encoding(ben), SHOWN).toContain("encoded for each person");
  await expect.poll(() => ownEncoders(ben), SHOWN).toBe(1);
  await seeEachOther([ben, cleo]);
  await Promise.all([ben.hears(), cleo.hears()]);
  for (const one of [ben, cleo]) await expect(one.badge).toHaveText("encrypted");
  await restsUnseen(ben, [cleo]);
});

test("nobody gets a picture larger than they show it, nor for long one that they do not see; a camera that goes off and on, and media workers that die: it is back", async ({
  server,
  person,
}) => {
  const options = { lines: 360, context: { deviceScaleFactor: 1 } } as const;
  const [ada, ben, cleo] = [await person("Ada", options), await person("Ben", options), await person("Cleo", options)];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await cleo.open(link);
  await Promise.all([ben.seesMoving("Ada"), cleo.seesMoving("Ada")]);
  await expect.poll(() => encoding(ada), SHOWN).toContain("for 2 people, at 360p");
  await cleo.page.setViewportSize({ width: 320, height: 700 });
  await expect.poll(() => encoding(ada), SHOWN).toContain("360p for 1 and 180p for 1");
  await restsUnseen(ben, [ada, cleo], async () => {
    await expect.poll(() => encoding(ada), SHOWN).toContain("for 1 person, at 180p");
    await cleo.seesMoving("Ada");
  });
  await expect.poll(() => encoding(ada), SHOWN).toContain("360p for 1 and 180p for 1");

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

/** A page that has one video codec. */
function pictureIn(codec: string): () => void {
  return new Function(`(${onlyCodec})("video/${codec}")`) as () => void;
}

async function seeEachOther(people: ChromiumPerson[]): Promise<void> {
  const pairs = people.flatMap((one) => people.filter((other) => other !== one).map((other) => [one, other] as const));
  await Promise.all(pairs.map(([one, other]) => one.seesMoving(other.name)));
}

/** Whose page is hidden gets no pictures after a while, and sound all the same: nothing fails. Shown again, it has them again. */
async function restsUnseen(one: ChromiumPerson, others: ChromiumPerson[], meanwhile = async () => {}): Promise<void> {
  for (const each of [one, ...others]) await each.recordBadge();
  await one.page.evaluate(hide);
  let decoded = -1;
  const more = async () => {
    const before = decoded;
    decoded = (await one.counted()).framesDecoded;
    return decoded - before;
  };
  await expect.poll(more, { ...SHOWN, intervals: [2_000], message: "pictures that nobody sees" }).toBe(0);
  await one.hears();
  await meanwhile();
  expect(await more()).toBe(0);
  await one.page.evaluate(show);
  await Promise.all(others.map((other) => one.seesMoving(other.name)));
  for (const each of [one, ...others]) expect(await each.badges()).not.toContain("failing");
}

/** The first one's video goes to both others as the same frames, and their links have no encoder of it. */
async function expectSealedOnce([first, ...others]: [ChromiumPerson, ChromiumPerson, ChromiumPerson]): Promise<void> {
  await expect.poll(() => encoding(first), SHOWN).toContain("for 2 people");
  for (const one of [first, ...others]) await expect(one.badge).toHaveText("encrypted");
  expect(await encoding(first)).toContain("once for");
  await expect
    .poll(() => first.sealedForSeveral("camera"), { ...SHOWN, message: "frames that went to both" })
    .toBeGreaterThan(0);
  expect(await ownEncoders(first), "their links that have an encoder of their own").toBe(0);
}

/** The codec of each video that comes or goes, by the encryption details. */
async function codecs(person: ChromiumPerson): Promise<(string | undefined)[]> {
  await person.page.getByRole("button", { name: "Encryption details" }).click();
  const pictures = (await person.proof()).filter(({ Track }) => Track?.includes(" video"));
  await person.page.getByRole("button", { name: "Close" }).click();
  return pictures.map(({ Codec }) => Codec);
}

/** What the encryption details say of how often this person's video is encoded. */
async function encoding(person: ChromiumPerson): Promise<string> {
  await person.page.getByRole("button", { name: "Encryption details" }).click();
  const words = await person.page.getByRole("dialog").getByText("Your picture is encoded").textContent();
  await person.page.getByRole("button", { name: "Close" }).click();
  return words ?? "";
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

/** Runs in the page: of how many milliseconds the packets of sound are that it sends, by its connections that sound goes over. */
async function packetLengths(): Promise<number[]> {
  const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
  const soundOf = async (connection: RTCPeerConnection) =>
    [...(await connection.getStats()).values()].find((of) => of.type === "outbound-rtp" && of.kind === "audio");
  const isSending = await Promise.all(connections.map(async (one) => (await soundOf(one)) !== undefined));
  const sending = connections.filter((one, i) => one.connectionState === "connected" && isSending[i]);
  const sent = () => Promise.all(sending.map(soundOf));
  const before = await sent();
  const isMeasured = (now: (typeof before)[number], i: number) => now.packetsSent - before[i].packetsSent >= 25;
  for (;;) {
    const now = await sent();
    if (now.every(isMeasured))
      return now.map((of, i) => {
        const ms = (of.timestamp - before[i].timestamp) / (of.packetsSent - before[i].packetsSent);
        return 20 * Math.round(ms / 20);
      });
    await new Promise((next) => setTimeout(next, 100));
  }
}
