import { cameras, drawnCamera, hold, qrCode } from "./stage/drawn-camera.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

test("two people see the same safety code; who marks the other as verified knows them again after a reload, and under a new name", {
  tag: "@journey",
}, async ({ server, person }) => {
  const [ada, ben] = [await person("Ada"), await person("Ben")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ada.seesMoving("Ben");
  const [seenByAda, seenByBen] = await Promise.all([code(ada, "Ben"), code(ben, "Ada")]);
  expect(seenByAda.digits).toMatch(/^(\d{5} ){5}\d{5}$/);
  expect(seenByAda).toEqual(seenByBen);

  await expect(ada.badge).toHaveText("encrypted");
  await ada.page.getByRole("button", { name: "Mark as verified" }).click();
  await expect(entry(ada, "Ben")).toContainText("verified");
  await ada.page.getByRole("button", { name: "Close" }).click();
  await expect(ada.badge).toHaveText("verified");
  await expect(ada.tile("Ben").getByRole("img", { name: "Verified" })).toBeVisible();
  await expect(ben.badge).toHaveText("encrypted");

  await ada.page.reload();
  await ada.seesMoving("Ben");
  await expect(ada.badge).toHaveText("verified");

  await ben.page.getByRole("textbox", { name: "Your name" }).fill("Robert");
  await ben.page.getByRole("button", { name: "Change" }).click();
  await ben.page.getByRole("button", { name: "Close" }).click();
  await expect(ada.tile("Robert")).toContainText("verified as Ben", { timeout: 15_000 });
  await expect(ada.badge).toHaveText("encrypted");
  await expect(ada.page.getByText("Ben is now called Robert.")).toBeAttached();
  await expect(ben.tile("Robert (you)")).toBeVisible();
  await ada.page.getByRole("button", { name: "People" }).click();
  await entry(ada, "Robert").getByRole("button", { name: "Remember as Robert" }).click();
  await ada.page.getByRole("button", { name: "Close" }).click();
  await expect(ada.badge).toHaveText("verified");
});

test("someone else under a verified person's name is an alarm, from the door on, and has another code", {
  tag: "@journey",
}, async ({ server, person }) => {
  const [ada, ben, eve] = [await person("Ada"), await person("Ben"), await person("Ben")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  const known = await code(ada, "Ben");
  await ada.page.getByRole("button", { name: "Mark as verified" }).click();
  await ada.page.getByRole("button", { name: "Close" }).click();
  await ben.page.getByRole("button", { name: "Leave call" }).click();
  await expect(ada.tile("Ben")).toHaveCount(0);

  await ada.page.getByRole("button", { name: "People" }).click();
  await ada.page.getByRole("radio", { name: "People you approve" }).click();
  await ada.page.getByRole("button", { name: "Close" }).click();
  for (const one of [ben, eve]) {
    await one.page.goto("about:blank");
    await one.page.goto(link);
    await one.page.getByRole("textbox", { name: "Your name" }).fill("Ben");
    await one.page.getByRole("button", { name: "Join now" }).click();
  }
  const knock = (words: string) => ada.page.getByRole("paragraph").filter({ hasText: `Ben wants to join. ${words}` });
  await expect(knock("You verified them.")).toBeVisible();
  await knock("This isn’t the Ben you verified.").getByRole("button", { name: "Let in" }).click();
  await expect(ada.page.getByRole("alert").filter({ hasText: "This Ben isn’t the Ben you verified" })).toBeVisible();
  await expect(ada.badge).toHaveText("encrypted");
  const strange = await code(ada, "Ben");
  expect(strange.digits).not.toBe(known.digits);
  expect(strange).toEqual(await code(eve, "Ada"));
});

test("scanning the code on the other's screen verifies them; the call's own camera serves for it", {
  tag: "@journey",
}, async ({ server, person }) => {
  const [ada, ben] = [await person("Ada"), await person("Ben", { before: drawnCamera })];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await Promise.all([code(ada, "Ben"), code(ben, "Ada")]);
  const decoder = () => ben.requests.filter((url) => url.includes("/assets/decode-"));
  expect(await cameras(ben)).toEqual({ opened: 1, live: 1 });
  expect(decoder(), "the decoder is loaded when someone scans").toEqual([]);

  await entry(ben, "Ada").getByRole("button", { name: "Scan their code" }).click();
  await expect(entry(ben, "Ada").getByLabel("What the camera sees")).toBeVisible();
  await expect.poll(() => cameras(ben)).toEqual({ opened: 1, live: 2 });
  await hold(ben, await qrOnScreen(ada, "Ben"));
  await expect(entry(ben, "Ada").getByRole("alert")).toContainText("The codes are the same.");
  await expect(entry(ben, "Ada").getByRole("heading")).toContainText("verified");
  expect(decoder()).toHaveLength(1);
  await expect.poll(() => cameras(ben), "what was lent is given back").toEqual({ opened: 1, live: 1 });
  await ben.page.getByRole("button", { name: "Close" }).click();
  await expect(ben.badge).toHaveText("verified");
  await expect(ada.badge).toHaveText("encrypted");
});

test("another kind of code is called that, a code of which one digit differs is an alarm, and neither verifies", async ({
  server,
  person,
}) => {
  const [ada, ben] = [await person("Ada"), await person("Ben", { before: drawnCamera })];
  await ben.open(await ada.startCall(server.url));
  await ben.page.getByRole("button", { name: "Camera" }).click();
  const digits = (await code(ben, "Ada")).digits.replaceAll(" ", "");
  const other = digits.slice(0, -1) + (digits.endsWith("0") ? "1" : "0");
  const opened = await cameras(ben);
  expect(opened.live).toBe(0);

  await entry(ben, "Ada").getByRole("button", { name: "Scan their code" }).click();
  await expect.poll(() => cameras(ben)).toEqual({ opened: opened.opened + 1, live: 1 });
  await hold(ben, qrCode("https://example.org/"));
  await expect(entry(ben, "Ada").getByRole("status")).toContainText("another kind of QR code");
  await hold(ben, qrCode("SEALCAST:2:1"));
  await expect(entry(ben, "Ada").getByRole("status")).toContainText("another version of Sealcast");
  await hold(ben, qrCode(`SEALCAST:1:${other}`));
  await expect(entry(ben, "Ada").getByRole("alert")).toContainText("The codes are different.");
  await expect
    .poll(() => cameras(ben), "nothing looks on after that")
    .toEqual({ ...opened, opened: opened.opened + 1 });
  await expect(entry(ben, "Ada").getByRole("heading")).toContainText("not verified");

  await entry(ben, "Ada").getByRole("button", { name: "Scan again" }).click();
  await expect(entry(ben, "Ada").getByRole("alert")).toContainText("The codes are different.");
  await hold(ben, null);
  await entry(ben, "Ada").getByRole("button", { name: "Scan again" }).click();
  await expect.poll(async () => (await cameras(ben)).live).toBe(1);
  await ben.page.getByRole("button", { name: "Close" }).click();
  await expect.poll(async () => (await cameras(ben)).live, "closing releases the camera").toBe(0);
  await expect(ben.badge).toHaveText("encrypted");
});

test("everyone in a call sees one meeting code, count and names, which change alike when someone joins or leaves", async ({
  server,
  person,
}) => {
  const [ada, ben, cleo] = [await person("Ada"), await person("Ben"), await person("Cleo")];
  const link = await ada.startCall(server.url);
  await ben.open(link);
  const two = [ada, ben];
  for (const each of two) await each.page.getByRole("button", { name: "Encryption details" }).click();
  const first = await meetingCode(two, 2);

  await ada.context.grantPermissions(["camera", "microphone", "clipboard-read", "clipboard-write"]);
  await ada.page.getByRole("button", { name: "Copy code" }).click();
  await expect(ada.page.getByText("Code copied.")).toBeVisible();
  await cleo.open(link);
  await cleo.page.getByRole("button", { name: "Encryption details" }).click();
  const second = await meetingCode([...two, cleo], 3);
  expect(second).not.toBe(first);

  await cleo.page.getByRole("button", { name: "Close" }).click();
  await cleo.page.getByRole("button", { name: "Leave call" }).click();
  expect(await meetingCode(two, 2)).toBe(first);
});

/** The digits that all of them see, with their number and all names. */
async function meetingCode(all: ChromiumPerson[], people: number): Promise<string> {
  const codes = await Promise.all(
    all.map(async (each) => {
      const section = each.page.getByRole("region", { name: "Meeting code" });
      await expect(section.getByText(`${people} people`)).toBeVisible({ timeout: 30_000 });
      const digits = section.getByText(/^(\d{5} ){5}\d{5}$/);
      await expect(digits).toBeVisible({ timeout: 30_000 });
      const names = section.getByRole("list", { name: "People in the meeting code" }).getByRole("listitem");
      await expect(names).toHaveCount(people);
      const listed = (await names.allTextContents()).map((name) => name.replace(" (you)", ""));
      expect(listed.toSorted()).toEqual(["Ada", "Ben", "Cleo"].slice(0, people));
      return digits.textContent();
    }),
  );
  expect(new Set(codes).size).toBe(1);
  return codes[0] ?? "";
}

/** The code as it stands on someone's screen, as a picture. */
async function qrOnScreen(person: ChromiumPerson, of: string): Promise<string> {
  const png = await entry(person, of).getByRole("img", { name: "QR code" }).screenshot();
  return `data:image/png;base64,${png.toString("base64")}`;
}

function entry(person: ChromiumPerson, of: string) {
  return person.page.getByRole("dialog", { name: "People" }).getByRole("listitem", { name: of, exact: true });
}

/** Opens the people panel and reads the code with someone. */
async function code(person: ChromiumPerson, of: string): Promise<{ digits: string; pictures: string }> {
  await person.page.getByRole("button", { name: "People" }).click();
  const digits = entry(person, of).getByRole("definition");
  await expect(digits).toBeVisible({ timeout: 30_000 });
  const pictures = entry(person, of).getByRole("list", { name: "The safety code in pictures" });
  return { digits: (await digits.textContent()) ?? "", pictures: (await pictures.textContent()) ?? "" };
}
