import { nothingButRepeats } from "./stage/participant.ts";
import { expect, type Stage, test } from "./stage/test.ts";

test("all media workers die: picture and sound are back, nothing left unsealed", { tag: "@journey" }, async ({
  server,
  person,
}) => {
  const ada = await person("Ada");
  const ben = await person("Ben");
  await ben.open(await ada.startCall(server.url));
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
  expect(await ada.killMediaWorkers()).toBeGreaterThan(0);
  await expect(ada.page.getByText("A part of the page that seals frames had stopped. It was replaced.")).toBeVisible();
  await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada"), ada.hears(), ben.hears()]);
  await ben.page.getByRole("button", { name: "Encryption details" }).click();
  const received = (await ben.proof()).filter(({ Track }) => Track?.startsWith("Ada sent"));
  expect(received.length).toBe(2);
  for (const { Refused } of received)
    expect(Refused, "a frame that came unsealed would be refused").toMatch(nothingButRepeats);
  await ben.page.keyboard.press("Escape");
  await expect(ada.badge).toHaveText(/^encrypted/);
  await expect(ben.badge).toHaveText(/^encrypted/);
});

test("a key that comes late turns nothing red, and the picture is back once it is there", async ({
  server,
  person,
}) => {
  const ada = await person("Ada");
  const ben = await person("Ben", { sabotage: lateKeys });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ben.seesMoving("Ada");
  await ben.recordBadge();
  const cleo = await person("Cleo");
  await cleo.open(link);
  await Promise.all([ben.seesMoving("Ada"), ben.seesMoving("Cleo")]);
  expect(await ben.badges()).toEqual(["encrypted"]);
});

test("a key that does not come in time: the page says so", async ({ server, person }) => {
  const ada = await person("Ada");
  const ben = await person("Ben", { sabotage: lostKeys });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ben.seesMoving("Ada");
  const cleo = await person("Cleo");
  await cleo.open(link);
  await expect(ben.badge).toHaveText(/^failing/, { timeout: 20_000 });
  await ben.page.getByRole("button", { name: "Encryption details" }).click();
  await expect(ben.page.getByRole("dialog").getByText("of an epoch that is over or not begun").first()).toBeVisible();
});

test("a wrong key: the member joins the group afresh and everybody gets new ones", async ({ server, person }) => {
  const { ada, ben, cleo } = await threeOfWhomBenHasAWrongKey(server, person);
  await expect(ben.badge).toHaveText(/^failing/);
  await expect(ada.page.getByText("The keys between you and Ben did not fit. Everybody got new ones.")).toBeVisible({
    timeout: 15_000,
  });
  await Promise.all([ben.seesMoving("Ada"), ada.seesMoving("Ben"), ben.seesMoving("Cleo"), cleo.seesMoving("Ben")]);
  await expect(ben.badge).toHaveText(/^encrypted/, { timeout: 15_000 });
});

test("with one click everything is set up anew", async ({ server, person }) => {
  const { ada, ben } = await threeOfWhomBenHasAWrongKey(server, person);
  await ben.page.getByRole("button", { name: "Repair" }).click();
  await Promise.all([ben.seesMoving("Ada"), ada.seesMoving("Ben"), ben.seesMoving("Cleo")]);
  await expect(ben.page.getByRole("button", { name: "Repair" })).toBeHidden({ timeout: 15_000 });
});

test("a transform that turned deaf is set anew", async ({ server, person }) => {
  const ada = await person("Ada");
  const ben = await person("Ben", { sabotage: deafAfterAWhile });
  await ben.open(await ada.startCall(server.url));
  await expect(ben.page.getByText("Nothing passed between you and Ada. The connection was restarted.")).toBeVisible({
    timeout: 30_000,
  });
  await ben.seesMoving("Ada");
  await expect(ben.badge).toHaveText(/^encrypted/);
});

test("a commit that never arrives is fetched", async ({ server, person }) => {
  const ada = await person("Ada");
  const ben = await person("Ben");
  let lost = 0;
  await ben.page.routeWebSocket(/\/signal$/, (socket) => {
    const toServer = socket.connectToServer();
    socket.onMessage((message) => toServer.send(message));
    toServer.onMessage((message) => {
      if (lost === 0 && message.toString().startsWith('{"type":"ordered"')) lost++;
      else socket.send(message);
    });
  });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ben.seesMoving("Ada");
  const cleo = await person("Cleo");
  await cleo.open(link);
  await Promise.all([ben.seesMoving("Cleo"), cleo.seesMoving("Ben"), ben.seesMoving("Ada")]);
  expect(lost).toBe(1);
});

test("a worker that cannot keep up drops old frames and goes on from a key frame", async ({ server, person }) => {
  const ada = await person("Ada", { sabotage: slowForAWhile });
  const ben = await person("Ben");
  await ben.open(await ada.startCall(server.url));
  for (const one of [ada, ben]) await one.recordBadge();
  await expect(ada.page.getByText("This computer is overloaded: video is being skipped.")).toBeVisible({
    timeout: 20_000,
  });
  await ada.page.getByRole("button", { name: "Encryption details" }).click();
  await expect(ada.page.getByRole("table").getByText("waited too long").first()).toBeVisible({ timeout: 20_000 });
  await ben.seesMoving("Ada");
  await expect(ben.badge).toHaveText(/^encrypted/);
  for (const one of [ada, ben]) expect(await one.badges(), one.name).not.toContain("failing");
});

async function threeOfWhomBenHasAWrongKey(server: Stage["server"], person: Stage["person"]) {
  const ada = await person("Ada");
  const ben = await person("Ben", { sabotage: wrongKeyInEpoch2 });
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ben.seesMoving("Ada");
  const cleo = await person("Cleo");
  await cleo.open(link);
  return { ada, ben, cleo };
}

// What follows runs in media workers.

/** The keys of every epoch after the first come three seconds late. */
function lateKeys(): void {
  const { set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage") ?? {};
  Object.defineProperty(MessagePort.prototype, "onmessage", {
    set(this: MessagePort, heard: (event: MessageEvent) => void) {
      set?.call(this, (event: MessageEvent) => {
        if (event.data.epoch > 1) setTimeout(() => heard(event), 3_000);
        else heard(event);
      });
    },
  });
}

/** The keys of no epoch after the first come. */
function lostKeys(): void {
  const { set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage") ?? {};
  Object.defineProperty(MessagePort.prototype, "onmessage", {
    set(this: MessagePort, heard: (event: MessageEvent) => void) {
      set?.call(this, (event: MessageEvent) => {
        if (!(event.data.epoch > 1)) heard(event);
      });
    },
  });
}

/** Everything else comes as it was, and in its order: imports of keys can end in another. */
function wrongKeyInEpoch2(): void {
  const { set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage") ?? {};
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const wrong = crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits", "deriveKey"]);
  Object.defineProperty(MessagePort.prototype, "onmessage", {
    set(this: MessagePort, heard: (event: MessageEvent) => void) {
      let turn = Promise.resolve();
      set?.call(this, ({ data }: MessageEvent) => {
        turn = turn.then(async () => {
          const isIt = data.type === "epoch" && data.epoch === 2;
          heard(new MessageEvent("message", { data: isIt ? { ...data, baseKey: await wrong } : data }));
        });
      });
    },
  });
}

/** The first transform for incoming video gives no frame any more after two seconds' worth. */
function deafAfterAWhile(): void {
  let done = false;
  globalThis.addEventListener("rtctransform", (event) => {
    const { transformer } = event as Event & { transformer: RTCRtpScriptTransformer };
    const { side, kind } = transformer.options;
    if (done || side !== "open" || kind !== "video") return;
    done = true;
    let frames = 0;
    const upTo = new TransformStream<RTCEncodedVideoFrame, RTCEncodedVideoFrame>({
      transform(frame, controller) {
        if (++frames < 20) controller.enqueue(frame);
      },
    });
    const readable = transformer.readable.pipeThrough(upTo);
    Object.defineProperty(transformer, "readable", { value: readable, configurable: true });
  });
}

/** Encryption takes 150 ms a frame, from the twentieth call to the eightieth. */
function slowForAWhile(): void {
  const original = crypto.subtle.encrypt.bind(crypto.subtle);
  let calls = 0;
  crypto.subtle.encrypt = async (...parameters) => {
    calls++;
    if (calls > 20 && calls < 80) await new Promise((resolve) => setTimeout(resolve, 150));
    return original(...parameters);
  };
}
