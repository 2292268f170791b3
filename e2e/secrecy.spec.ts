import { expect, test } from "./stage/test.ts";

test("a link with a wrong secret is refused before the server hears of it", async ({ server, person }) => {
  const ada = await person("Ada");
  const eve = await person("Eve");
  const link = await ada.startCall(server.url);
  const last = link.at(-2) === "A" ? "B" : "A";
  await eve.page.goto(`${link.slice(0, -2)}${last}${link.slice(-1)}`);
  await expect(eve.page.getByText("This link is damaged or incomplete. Ask for it again.")).toBeVisible();
  await expect(eve.page.getByRole("button", { name: "Join now" })).toHaveCount(0);
  expect(eve.socket).toEqual([]);
});

test("who receives without opening decodes nothing", async ({ server, person }) => {
  const ada = await person("Ada");
  const eve = await person("Eve", { receiving: "without-opening" });
  const ben = await person("Ben");
  const link = await ada.startCall(server.url);
  await eve.open(link);
  await ben.open(link);
  await ben.seesMoving("Ada");
  const arrived = async () => (await eve.tapped()).filter(({ side, kind }) => side === "open" && kind === "video");
  const handedOn = async () => (await arrived()).reduce((sum, { written }) => sum + written, 0);
  await expect.poll(handedOn, { timeout: 30_000 }).toBeGreaterThan(60);
  await eve.seesNothingOf("Ada");
  await eve.seesNothingOf("Ben");
});

test("nothing of names, descriptions or addresses is in any byte that the server saw", async ({ server, person }) => {
  const ada = await person("Adelheid-Zwicknagl");
  const ben = await person("Benvenuto-Quetzal");
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([ada.seesMoving(ben.name), ben.seesMoving(ada.name)]);
  const secret = new URL(link).hash.slice(1);
  const telling = [
    ada.name,
    ben.name,
    "candidate:",
    "a=fingerprint",
    "a=ice-pwd",
    "v=0\r\n",
    "127.0.0.1",
    "microphone",
    secret,
  ];
  for (const one of [ada, ben]) {
    expect(one.socket.length, "the page spoke with the server").toBeGreaterThan(10);
    const seen = [...one.socket, ...one.requests].map((text) => text + decoded(text));
    for (const word of telling)
      expect(
        seen.filter((text) => text.includes(word)),
        word,
      ).toEqual([]);
    expect(seen.filter((text) => text.includes(Buffer.from(secret, "base64url").toString("latin1")))).toEqual([]);
  }
});

/** What hides in a message's base64url bodies, one byte a letter. */
function decoded(text: string): string {
  const bodies = text.match(/[A-Za-z0-9_-]{24,}/g) ?? [];
  return bodies.map((body) => Buffer.from(body, "base64url").toString("latin1")).join("\n");
}
