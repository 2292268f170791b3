import { SHOWN } from "./stage/expect.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";
import { watch } from "./stage/viewers.ts";

test.setTimeout(180_000);

test("a stream has a title and a host's name; a viewer asks under a name that only the host sees, and is answered alone, then before all", async ({
  server,
  person,
}) => {
  const host = await person("Host");
  await host.page.goto(server.url);
  await host.page.getByRole("button", { name: "Go live" }).click();
  await field(host, "Title (optional)").fill("Tide tables");
  await field(host, "Your name (optional)").fill("Ann");
  await host.start();
  const link = await host.viewersLink();
  const [vera, wim] = (await watch(person, link, 2)) as [ChromiumPerson, ChromiumPerson];
  const questions = host.page.getByRole("region", { name: "Questions" });

  await test.step("viewers see what the stream is called, also when that changes", async () => {
    for (const viewer of [vera, wim]) {
      await expect(viewer.page.getByRole("heading", { name: "Tide tables" })).toBeVisible(SHOWN);
      await expect(viewer.page.getByText("Host: Ann")).toBeVisible();
      expect(await viewer.page.title(), "browsers keep a page's own title").toBe("Live stream – Sealcast");
    }
    await host.page.getByText("Title and name").click();
    await field(host, "Title (optional)").fill("Moons");
    await expect(vera.page.getByRole("heading", { name: "Tide tables" }), "not as it is typed").toBeVisible();
    await host.page.getByRole("button", { name: "Show to viewers" }).click();
    for (const viewer of [vera, wim])
      await expect(viewer.page.getByRole("heading", { name: "Moons" })).toBeVisible(SHOWN);
  });

  await test.step("the host sees who asks, and the answer goes to that viewer alone", async () => {
    await vera.page.getByRole("button", { name: "Ask" }).click();
    await field(vera, "Your name (optional)").fill("Vera");
    await field(vera, "Your question").fill("How deep is it?");
    await vera.page.getByRole("button", { name: "Send question" }).click();
    await expect(vera.page.getByText("Sent to the host.")).toBeVisible();
    await vera.page.getByRole("button", { name: "Close" }).click();
    await expect(questions).toContainText("Viewer 1 · Vera How deep is it?", SHOWN);
    await expect(host.page.getByRole("listitem", { name: "Viewer 1" })).toContainText("Viewer 1 · Vera");
    await host.page.getByRole("button", { name: "Answer the question of viewer 1" }).click();
    await expect(field(host, "Your answer to viewer 1")).toBeFocused();
    await field(host, "Your answer to viewer 1").fill("Nine metres.");
    await host.page.getByRole("button", { name: "Only to viewer 1" }).click();
    await expect(answers(vera)).toContainText("You asked: How deep is it?", SHOWN);
    await expect(answers(vera)).toContainText("Nine metres.");
    await expect(answers(vera)).toContainText("Only you see this.");
    await expect(questions).toContainText("Answered to viewer 1: Nine metres.");
    await expect(answers(wim)).toBeHidden();
  });

  await test.step("before all it is without the name, also for who comes later", async () => {
    await questions.getByRole("button", { name: "Show to all viewers" }).click();
    for (const viewer of [vera, wim]) {
      await expect(answers(viewer)).toContainText("Question: How deep is it?", SHOWN);
      await expect(answers(viewer)).not.toContainText("Only you see this.");
      await expect(viewer.page.getByText("Vera")).toHaveCount(0);
    }
    await questions.getByRole("button", { name: "Dismiss the question of viewer 1" }).click();
    await expect(questions).toBeHidden();
    await expect(host.page.getByRole("region", { name: "Audience" }), "what had the focus is gone").toBeFocused();
    await wim.page.reload();
    await expect(answers(wim)).toContainText("Nine metres.", SHOWN);
    await expect(wim.page.getByRole("heading", { name: "Moons" })).toBeVisible();
  });
});

test("viewers upvote a question that the host lets them, and only the host sees how many do", async ({
  server,
  person,
}) => {
  const host = await person("Host");
  const link = await host.goLive(server.url);
  const [vera, wim] = (await watch(person, link, 2)) as [ChromiumPerson, ChromiumPerson];
  const questions = host.page.getByRole("region", { name: "Questions" });
  const toUpvote = (viewer: ChromiumPerson) => viewer.page.getByRole("list", { name: "Questions to the host" });
  const upvote = (viewer: ChromiumPerson, text: string) =>
    toUpvote(viewer).getByRole("button", { name: `Upvote “${text}”` });
  await vera.page.getByRole("button", { name: "Ask" }).click();
  await field(vera, "Your name (optional)").fill("Vera");
  for (const text of ["How deep is it?", "Is it cold?"]) {
    await field(vera, "Your question").fill(text);
    await vera.page.getByRole("button", { name: "Send question" }).click();
    await expect(questions).toContainText(text, SHOWN);
  }
  await vera.page.getByRole("button", { name: "Close" }).click();
  for (const viewer of [vera, wim]) await expect(toUpvote(viewer)).toBeHidden();
  const share = questions.getByRole("button", { name: "Show to viewers: question of viewer 1" });
  for (const left of [1, 0]) {
    await share.first().click();
    await expect(share).toHaveCount(left);
  }
  for (const viewer of [vera, wim]) {
    await expect(toUpvote(viewer).getByRole("listitem")).toHaveText([/How deep is it\?/, /Is it cold\?/], SHOWN);
    await expect(viewer.page.getByText("Vera")).toHaveCount(0);
    await upvote(viewer, "Is it cold?").click();
    await expect(upvote(viewer, "Is it cold?")).toHaveAttribute("aria-pressed", "true");
  }
  await upvote(wim, "How deep is it?").click();
  await expect(questions.getByRole("listitem"), "what is pointed at stays in its place").toHaveText(
    [/How deep is it\?.*1 upvote/, /Is it cold\?.*2 upvotes/],
    SHOWN,
  );
  await host.page.mouse.move(0, 0);
  await expect(questions.getByRole("listitem")).toHaveText(
    [/Is it cold\?.*2 upvotes/, /How deep is it\?.*1 upvote/],
    SHOWN,
  );
  await expect(wim.page.getByText("2 upvotes")).toHaveCount(0);
  await upvote(wim, "Is it cold?").click();
  await expect(questions).not.toContainText("2 upvotes", SHOWN);

  await test.step("the list keeps its order while the focus is in it, wherever there", async () => {
    const buttons = questions.getByRole("listitem").first().getByRole("button");
    await buttons.first().focus();
    await upvote(wim, "Is it cold?").click();
    const asBefore = [/How deep is it\?.*1 upvote/, /Is it cold\?.*2 upvotes/];
    await expect(questions.getByRole("listitem")).toHaveText(asBefore, SHOWN);
    await host.page.keyboard.press("Tab");
    await expect(buttons.nth(1)).toBeFocused();
    await expect(questions.getByRole("listitem")).toHaveText(asBefore);
    await buttons.nth(1).blur();
    await expect(questions.getByRole("listitem")).toHaveText(asBefore.toReversed());
    await upvote(wim, "Is it cold?").click();
    await expect(questions).not.toContainText("2 upvotes", SHOWN);
  });

  await test.step("who loads the page again votes again, and has one vote", async () => {
    await upvote(wim, "Is it cold?").click();
    await expect(questions).toContainText("2 upvotes", SHOWN);
    await wim.page.reload();
    await expect(questions.getByRole("listitem").first()).toHaveText(/Is it cold\?.*1 upvote/, SHOWN);
    await expect(upvote(wim, "Is it cold?")).toHaveAttribute("aria-pressed", "false", SHOWN);
    await upvote(wim, "Is it cold?").click();
    await expect(upvote(wim, "Is it cold?")).toHaveAttribute("aria-pressed", "true");
    await expect(questions.getByRole("listitem").first()).toHaveText(/Is it cold\?.*2 upvotes/, SHOWN);
  });

  await test.step("what is answered or hidden can be upvoted no more", async () => {
    await questions.getByRole("button", { name: "Answer the question of viewer 1" }).first().click();
    await field(host, "Your answer to viewer 1").fill("Nine degrees.");
    // All have seen it, and some wait for its answer.
    await expect(host.page.getByRole("button", { name: "Only to viewer 1" })).toHaveCount(0);
    await host.page.getByRole("button", { name: "Show to all viewers" }).click();
    for (const viewer of [vera, wim]) {
      await expect(answers(viewer)).toContainText("Question: Is it cold?", SHOWN);
      await expect(toUpvote(viewer).getByRole("listitem")).toHaveText([/How deep is it\?/]);
    }
    await questions.getByRole("button", { name: "Hide from viewers: question of viewer 1" }).click();
    for (const viewer of [vera, wim]) await expect(toUpvote(viewer)).toBeHidden(SHOWN);
  });
});

test("a host who loads the page again is asked first, finds title and name again, and is told that viewers wait", async ({
  server,
  person,
}) => {
  const host = await person("Host");
  await host.page.goto(server.url);
  await host.page.getByRole("button", { name: "Go live" }).click();
  await field(host, "Title (optional)").fill("Tide tables");
  await field(host, "Your name (optional)").fill("Ann");
  await host.start();
  const [viewer] = (await watch(person, await host.viewersLink(), 1)) as [ChromiumPerson];
  await viewer.seesMoving("the stream");

  const asked: string[] = [];
  host.page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await host.page.reload();
  expect(asked).toEqual(["beforeunload"]);
  await expect(host.page.getByRole("heading", { name: "Your stream is paused" })).toBeVisible(SHOWN);
  await expect(field(host, "Title (optional)")).toHaveValue("Tide tables");
  await expect(field(host, "Your name (optional)")).toHaveValue("Ann");
  await host.start();
  await viewer.seesMoving("the stream");
  await expect(viewer.page.getByText("Host: Ann")).toBeVisible(SHOWN);
  await host.page.getByRole("button", { name: "End stream" }).click();
  await host.page.getByRole("button", { name: "End for everybody" }).click();
  await expect(host.page.getByRole("heading", { name: "The stream has ended" })).toBeVisible();
  await host.page.getByRole("button", { name: "Go live again" }).click();
  await expect(host.page.getByRole("heading", { name: "Ready to go live?" })).toBeVisible();
  await host.page.reload();
  expect(asked, "nobody would lose anything").toEqual(["beforeunload"]);
});

test("with camera and microphone blocked nobody goes live, until a screen is chosen", async ({ server, person }) => {
  const host = await person("Host", { before: blocked });
  await host.page.goto(server.url);
  await host.page.getByRole("button", { name: "Go live" }).click();
  await expect(host.page.getByText("There is nothing to send yet")).toBeVisible(SHOWN);
  const start = host.page.getByRole("button", { name: "Go live" });
  await start.click({ force: true });
  await expect(start).toHaveAttribute("aria-disabled", "true");
  await expect(host.page.getByRole("button", { name: "End stream" })).toHaveCount(0);
  await host.page.getByRole("radio", { name: "Screen", exact: true }).click();
  await expect(host.page.getByText("There is nothing to send yet")).toBeHidden();
  await host.start();
});

function field({ page }: ChromiumPerson, name: string) {
  return page.getByRole("textbox", { name });
}

function answers({ page }: ChromiumPerson) {
  return page.getByRole("log", { name: "Answers from the host" });
}

/** Runs in the page before its own scripts: as where the person has said no. */
function blocked(): void {
  if (!globalThis.isSecureContext) return;
  navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", "NotAllowedError"));
}
