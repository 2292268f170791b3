import { SHOWN } from "./stage/expect.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";

test("keys of an epoch that come late, are wrong or never come: nothing red, new ones by themselves or with a click, or a word", async ({
  server,
  person,
}) => {
  test.slow();
  const ada = await person("Ada");
  const ben = await person("Ben", { sabotage: faultyKeys });
  const cleo = await person("Cleo");
  const link = await ada.startCall(server.url);
  await ben.open(link);
  await ben.seesMoving("Ada");

  await test.step("late: nothing turns red, and the picture is back once they are there", async () => {
    await ben.recordBadge();
    await tell(ben, "late");
    await cleo.open(link);
    await Promise.all([ben.seesMoving("Ada"), ben.seesMoving("Cleo")]);
    expect(await ben.badges()).toEqual(["encrypted"]);
  });

  const repaired = "The keys between you and Ben did not fit. Everybody got new ones.";
  await test.step("wrong: the member joins the group again and everybody gets new ones", async () => {
    await tell(ben, "wrong");
    await cleo.page.goto("about:blank");
    await expect(ben.badge).toHaveText(/^failing/, SHOWN);
    await expect(ada.page.getByText(repaired)).toBeVisible(SHOWN);
    await Promise.all([ben.seesMoving("Ada"), ada.seesMoving("Ben")]);
    await expect(ben.badge).toHaveText(/^encrypted/, SHOWN);
  });

  await test.step("wrong: with one click everything is set up again", async () => {
    await tell(ben, "wrong");
    await cleo.open(link);
    await ben.page.getByRole("button", { name: "Repair" }).click();
    await Promise.all([ben.seesMoving("Ada"), ada.seesMoving("Ben"), ben.seesMoving("Cleo"), cleo.seesMoving("Ben")]);
    await expect(ben.page.getByRole("button", { name: "Repair" })).toBeHidden(SHOWN);
  });

  await test.step("not in time: the page says so", async () => {
    await tell(ben, "lost");
    await cleo.page.close();
    await expect(ben.badge).toHaveText(/^failing/, SHOWN);
    await ben.page.getByRole("button", { name: "Encryption details" }).click();
    await expect(ben.page.getByRole("dialog").getByText("of an epoch that is over or not begun").first()).toBeVisible();
  });
});

test("a worker that cannot keep up drops old frames and goes on from a key frame; a stalled transform is set again", async ({
  server,
  person,
}) => {
  const ada = await person("Ada", { sabotage: slowWhenTold });
  const ben = await person("Ben", { sabotage: deafWhenTold });
  await ben.open(await ada.startCall(server.url));
  await ben.seesMoving("Ada");
  for (const one of [ada, ben]) await one.recordBadge();

  await test.step("both computers are on another network", async () => {
    const before = await Promise.all([ada, ben].map(wayOf));
    await Promise.all(
      [ada, ben].map(({ page }) => page.evaluate(() => void globalThis.dispatchEvent(new Event("online")))),
    );
    for (const [at, one] of [ada, ben].entries()) await expect.poll(() => wayOf(one), SHOWN).not.toBe(before[at]);
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    for (const { page } of [ada, ben]) await expect(page.getByText("The connection was restarted.")).toHaveCount(0);
  });

  await tell(ada, "slow");
  await expect(ada.page.getByText("This computer is overloaded: your video is smaller for now.")).toBeVisible(SHOWN);
  await ada.page.getByRole("button", { name: "Encryption details" }).click();
  await expect(ada.page.getByRole("table").getByText("waited too long").first()).toBeVisible(SHOWN);
  await ben.seesMoving("Ada");
  await expect(ben.badge).toHaveText(/^encrypted/);
  for (const one of [ada, ben]) expect(await one.badges(), one.name).not.toContain("failing");

  await tell(ben, "deaf");
  await expect(ben.page.getByText("Nothing passed between you and Ada. The connection was restarted.")).toBeVisible(
    SHOWN,
  );
  await ben.seesMoving("Ada");
  await expect(ben.badge).toHaveText(/^encrypted/);
});

/** The name of this end's ICE session, once both ends have agreed on it: a restart gives another one (RFC 8839 section 5.4). */
function wayOf({ page }: ChromiumPerson): Promise<string | undefined> {
  return page.evaluate(() => {
    const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
    const sdp = connections.at(-1)?.currentLocalDescription?.sdp ?? "";
    return /^a=ice-ufrag:(.*)$/m.exec(sdp)?.[1];
  });
}

/** Has the media workers of someone's page, which a test has changed, behave so from now on. */
function tell({ page }: ChromiumPerson, fault: string): Promise<void> {
  return page.evaluate((fault) => new BroadcastChannel("fault").postMessage(fault), fault);
}

// What follows runs in media workers.

/**
 * Of the epochs that begin once it is switched on, all keys come three seconds "late" or are "lost", or those of the first are
 * "wrong". Everything else comes as it was, and in its order.
 */
function faultyKeys(): void {
  const { set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage") ?? {};
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const wrong = crypto.subtle.importKey("raw", bytes, "HKDF", false, ["deriveBits", "deriveKey"]);
  let fault = "none";
  let [latest, known, spoilt] = [0, 0, 0];
  new BroadcastChannel("fault").onmessage = ({ data }) => {
    fault = data;
    [known, spoilt] = [latest, 0];
  };
  const come = async (data: { type: string; epoch?: number; baseKey?: CryptoKey }, at: number) => {
    const { type, epoch = 0 } = data;
    latest = Math.max(latest, epoch);
    if (epoch <= known) return data;
    if (fault === "late") await new Promise((due) => setTimeout(due, at + 3_000 - performance.now()));
    if (fault === "lost") return null;
    if (fault !== "wrong" || type !== "epoch") return data;
    spoilt ||= epoch;
    return epoch === spoilt ? { ...data, baseKey: await wrong } : data;
  };
  Object.defineProperty(MessagePort.prototype, "onmessage", {
    set(this: MessagePort, heard: (event: MessageEvent) => void) {
      let turn = Promise.resolve();
      set?.call(this, ({ data, timeStamp }: MessageEvent) => {
        turn = turn.then(async () => {
          const came = await come(data, timeStamp);
          if (came !== null) heard(new MessageEvent("message", { data: came }));
        });
      });
    },
  });
}

/** The transforms for incoming video that exist when it is switched on give no frame any more. */
function deafWhenTold(): void {
  let deaf = 0;
  new BroadcastChannel("fault").onmessage = () => deaf++;
  globalThis.addEventListener("rtctransform", (event) => {
    const { transformer } = event as Event & { transformer: RTCRtpScriptTransformer };
    const { side, kind } = transformer.options;
    if (side !== "open" || kind !== "video") return;
    const since = deaf;
    const hearing = new TransformStream<RTCEncodedVideoFrame, RTCEncodedVideoFrame>({
      transform(frame, controller) {
        if (deaf === since) controller.enqueue(frame);
      },
    });
    const readable = transformer.readable.pipeThrough(hearing);
    Object.defineProperty(transformer, "readable", { value: readable, configurable: true });
  });
}

/** Encryption takes 150 ms a frame, sixty times once it is switched on. */
function slowWhenTold(): void {
  const original = crypto.subtle.encrypt.bind(crypto.subtle);
  let slow = 0;
  new BroadcastChannel("fault").onmessage = () => {
    slow = 60;
  };
  crypto.subtle.encrypt = async (...parameters) => {
    if (slow-- > 0) await new Promise((resolve) => setTimeout(resolve, 150));
    return original(...parameters);
  };
}
