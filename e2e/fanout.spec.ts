import { onlyCodec } from "./stage/only-codec.ts";
import type { Person } from "./stage/person.ts";
import type { Tapped } from "./stage/tap.ts";
import { expect, test } from "./stage/test.ts";

test.setTimeout(120_000);

for (const codec of ["VP8", "VP9", "H264", "AV1"]) {
  test(`three people: each encodes and seals once in ${codec}, and everybody sees everybody`, async ({
    server,
    person,
  }) => {
    const before = { before: onlyOneCodec(codec) };
    const [ada, ben, cleo] = [await person("Ada", before), await person("Ben", before), await person("Cleo", before)];
    const link = await ada.startCall(server.url);
    await ben.open(link);
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    expect(await encoding(ada)).toContain("encoded for each person");
    await cleo.open(link);
    await seeEachOther([ada, ben, cleo]);
    await expect.poll(() => encoding(ada)).toContain("once for 2 people");
    for (const one of [ada, ben, cleo]) await expect(one.badge).toHaveText("encrypted");
    expect(await sentTwice(ada), "frames that went to both").toBeGreaterThan(0);
  });
}

/** A page that has one video codec. */
function onlyOneCodec(codec: string): () => void {
  return new Function(`(${onlyCodec})("video/${codec}")`) as () => void;
}

async function seeEachOther(people: Person[]): Promise<void> {
  const pairs = people.flatMap((one) => people.filter((other) => other !== one).map((other) => [one, other] as const));
  await Promise.all(pairs.map(([one, other]) => one.seesMoving(other.name)));
}

/** What the encryption details say of how often this person's picture is encoded. */
async function encoding(person: Person): Promise<string> {
  await person.page.getByRole("button", { name: "Encryption details" }).click();
  const words = await person.page.getByRole("dialog").getByText("Your picture is encoded").textContent();
  await person.page.getByRole("button", { name: "Close" }).click();
  return words ?? "";
}

/** Headers that went out on more links than one. */
async function sentTwice(person: Person): Promise<number> {
  const pictures = (await person.tapped()).filter(({ side, kind }) => side === "seal" && kind === "video");
  const headers = pictures.flatMap((link: Tapped) => link.frames.map(({ header }) => header));
  return headers.length - new Set(headers).size;
}
