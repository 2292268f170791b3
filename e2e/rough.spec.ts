import { Relay } from "@sealcast/testbed";
import { colouredSources, sees } from "./stage/coloured.ts";
import { SHOWN } from "./stage/expect.ts";
import { ownEncoders } from "./stage/own-encoders.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";
import { enlarge, sharpness, textScreen } from "./stage/text-screen.ts";
import { throughPort } from "./stage/through-relay.ts";

test.setTimeout(240_000);

const FREE = { delayMs: 0, lossPercent: 0 };
/** Enough for what is said, and for no video beside it. */
const NARROW = { ...FREE, bytesPerSecond: 8_000 };

test("a screen is shared with its sound, sealed; how is chosen while it is shared; incoming video goes off and on; details for support", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada", { before: colouredSources }), await person("Ben")];
  await ben.open(await ada.startCall(server.url));
  await sees(ben, "Ada", { middle: "red" });
  const quality = dialogOf(ada, "Quality");

  await test.step("its sound is heard where the microphone is off", async () => {
    await ada.page.getByRole("button", { name: "Microphone", exact: true }).click();
    await button(ada, "Screen share").click();
    await sees(ben, "Screen of Ada", { middle: "blue" });
    await ben.hears();
    const opened = (await ben.tapped()).filter(({ side, source }) => side === "open" && source === "screen-sound");
    expect(
      opened.reduce((sum, { written }) => sum + written, 0),
      "frames of its sound that were opened",
    ).toBeGreaterThan(0);
    for (const one of [ada, ben]) await expect(one.badge).toHaveText("encrypted", SHOWN);
    expect(await ben.encryptionDetails()).toContain("Ada sent their screen's sound");
  });

  await test.step("motion, at five frames a second and no higher than 720 lines", async () => {
    await ada.press("Quality");
    await expect(quality.getByText("The sound of what you share is sent, too.")).toBeVisible();
    await quality.getByRole("radio", { name: /^Motion/ }).check();
    await expect(quality.getByRole("combobox", { name: "Frames per second" })).toHaveValue("30");
    await quality.getByRole("combobox", { name: "Frames per second" }).selectOption("5");
    await quality.getByRole("combobox", { name: "Height" }).selectOption("720");
    await quality.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => heightOf(ben, "Screen of Ada"), SHOWN).toBeLessThanOrEqual(720);
    expect(await ada.page.evaluate(shared)).toMatchObject({ contentHint: "motion", rate: 5 });
    await sees(ben, "Screen of Ada", { middle: "blue", aspect: 1.6 });
  });

  await test.step("who turns incoming video off is sent none, and hears on", async () => {
    await ben.press("Quality");
    await dialogOf(ben, "Quality").getByRole("checkbox", { name: "Turn off incoming video" }).check();
    await dialogOf(ben, "Quality").getByRole("button", { name: "Close" }).click();
    await expect(ben.video("Ada")).toBeHidden();
    await expect(ben.video("Screen of Ada")).toHaveCount(0);
    await expect.poll(() => ada.page.evaluate(videosSent), SHOWN).toBe(0);
    await ben.hears();
    await ben.page.getByText("Incoming video is off.").locator("..").getByRole("button", { name: "Turn on" }).click();
    await sees(ben, "Ada", { middle: "red" });
    await sees(ben, "Screen of Ada", { middle: "blue" });
  });

  await test.step("details for support can be read before they are copied, and hold nothing private", async () => {
    await ada.context.grantPermissions(["camera", "microphone", "clipboard-read", "clipboard-write"]);
    await ada.press("Quality");
    await quality.getByRole("button", { name: "Show details for support" }).click();
    const text = await quality.getByRole("textbox", { name: "Details for support" }).inputValue();
    await quality.getByRole("button", { name: "Copy details for support" }).click();
    expect(await ada.page.evaluate(() => navigator.clipboard.readText())).toBe(text);
    for (const part of ["phase: in-call", "state: encrypted", "sent screen-sound", "currentRoundTripTime"])
      expect(text).toContain(part);
    const [, room = "none"] = /call\/([^#?]+)/.exec(ada.page.url()) ?? [];
    for (const secret of ["Ada", "Ben", room, "127.0.0.1", "Fake"]) expect(text).not.toContain(secret);
    await quality.getByRole("button", { name: "Close" }).click();
  });
});

test("on a connection too slow for both, sound goes on and video pauses with a word at both ends, and comes back", async ({
  server,
  person,
}) => {
  const relay = await Relay.open(FREE);
  const ada = await person("Ada", { before: throughPort(relay.portFor("near")) });
  const ben = await person("Ben", { before: throughPort(relay.portFor("far")) });
  await ben.open(await ada.startCall(server.url));
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);

  await test.step("slow", async () => {
    const [here, there] = [
      ada.page.getByText("Your video to Ben is paused because the connection is slow. They can still hear you."),
      ben.page.getByText("The video of Ada is paused because the connection is slow. You still hear them."),
    ];
    relay.trouble = NARROW;
    await Promise.all([here, there].map((words) => expect(words).toBeVisible({ timeout: 60_000 })));
    await ben.hears();
    await expect(ben.tile("Ada").getByText("Video paused")).toBeVisible();
    relay.trouble = FREE;
    await Promise.all([here, there].map((words) => expect(words).toBeHidden({ timeout: 60_000 })));
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  });
  relay.close();
});

test("text on a shared screen can be read at its own size, with two people and with three", async ({
  server,
  person,
}) => {
  const screen = { viewport: { width: 1920, height: 1080 }, deviceScaleFactor: 1 };
  const ada = await person("Ada", { before: textScreen });
  const ben = await person("Ben", { context: screen });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await button(ada, "Screen share").click();
  await enlarge(ben, "Screen of Ada");
  const isLegible = async () => {
    const seen = await sharpness(ada, ben);
    test.info().annotations.push({ type: "sharpness", description: JSON.stringify(seen) });
    return seen.height === 1080 && seen.ratio > 0.85;
  };
  await expect.poll(isLegible, { timeout: 60_000, message: "with two" }).toBe(true);
  const cleo = await person("Cleo");
  await cleo.open(link);
  await expect.poll(() => heightOf(cleo, "Screen of Ada"), { timeout: 60_000 }).toBeGreaterThan(0);
  await expect.poll(() => ownEncoders(ada), { timeout: 60_000, message: "links that encode for themselves" }).toBe(0);
  await expect.poll(isLegible, { timeout: 60_000, message: "with three" }).toBe(true);
});

function button({ page }: ChromiumPerson, name: string) {
  return page.getByRole("button", { name, exact: true });
}

function dialogOf({ page }: ChromiumPerson, name: string) {
  return page.getByRole("dialog", { name });
}

function heightOf(person: ChromiumPerson, of: string): Promise<number> {
  return person.video(of).evaluate((video: HTMLVideoElement) => video.videoHeight);
}

/** Runs in a page with coloured sources: how its screen is shared. */
function shared(): { contentHint: string | undefined; rate: unknown } {
  const { coloured } = globalThis as unknown as { coloured: { shared: MediaStreamTrack[] } };
  const track = coloured.shared.find(({ kind }) => kind === "video");
  const { frameRate } = track?.getConstraints() ?? {};
  return { contentHint: track?.contentHint, rate: typeof frameRate === "object" ? frameRate.max : frameRate };
}

/** Runs in the page: how many videos its connections send now. */
function videosSent(): number {
  const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
  const senders = connections.flatMap((connection) => connection.getSenders());
  return senders.filter(({ track }) => track?.kind === "video").length;
}
