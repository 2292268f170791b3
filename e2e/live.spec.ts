import { damaged } from "./stage/damaged.ts";
import { SHOWN } from "./stage/expect.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { standStill } from "./stage/stand-still.ts";
import { expect, test } from "./stage/test.ts";
import { watch } from "./stage/viewers.ts";

test.setTimeout(180_000);

test("one host, two viewers: both see and hear, sealed once for both; a link to another host is refused; one who is removed opens nothing new", {
  tag: "@journey",
}, async ({ server, person }) => {
  const host = await person("Host");
  const link = await host.goLive(server.url);
  await expect(host.badge, "nobody watches").toHaveText("no media");
  const viewers = await watch(person, link, 2);
  for (const viewer of viewers) {
    await viewer.seesMoving("the stream");
    await expect(viewer.badge).toHaveText("encrypted", SHOWN);
    expect(viewer.page.url(), "the address keeps no secret").not.toContain("#");
    await viewer.page.getByRole("button", { name: "Turn sound on" }).click();
    await viewer.hears();
  }
  await expect(host.page.getByRole("status", { name: "Viewers" })).toHaveText("2");
  await expect(host.badge).toHaveText("encrypted");
  await expect.poll(() => host.encryptionDetails(), SHOWN).toContain("encoded and sealed once for 2 people");

  // Who has the secret can make a check that fits any room and host.
  const late = await person("Late");
  await late.page.goto(server.url);
  const forged = new URL(link);
  const room = forged.pathname.split("/").at(-1) ?? "";
  forged.hash = await late.page.evaluate(linkToAnotherHost, { room, fragment: forged.hash.slice(1) });
  await late.page.goto(forged.href);
  await expect(late.page.getByRole("heading", { name: "This is not the host of your link" })).toBeVisible(SHOWN);
  await expect(host.page.getByRole("status", { name: "Viewers" })).toHaveText("2");

  const [first, second] = viewers as [ChromiumPerson, ChromiumPerson];
  await host.page.getByRole("listitem", { name: "Viewer 1" }).getByRole("button", { name: "Remove" }).click();
  await host.page.getByRole("button", { name: "Remove viewer 1" }).click();
  await expect(first.page.getByRole("heading", { name: "You were removed from the stream" })).toBeVisible(SHOWN);
  const opened = await openedBy(first);
  await expect(host.page.getByRole("status", { name: "Viewers" })).toHaveText("1");
  await second.seesMoving("the stream");
  await expect(second.badge).toHaveText("encrypted", SHOWN);
  expect(await openedBy(first), "frames that the removed viewer opened").toBe(opened);

  await late.page.goto("about:blank");
  await late.page.goto(link);
  await expect(late.page.getByRole("heading", { name: "The host has to let you in" })).toBeVisible(SHOWN);
  await host.page.getByRole("button", { name: "Let in" }).click();
  await late.seesMoving("the stream");
});

test("a viewer from before the start to the end: links that are none, a question, a connection that breaks, a host who reloads the page", async ({
  server,
  person,
}) => {
  const host = await person("Host", { before: breakable });
  await host.page.goto(server.url);
  await host.page.getByRole("button", { name: "Go live" }).click();
  await host.page.waitForURL(/\/live\//);
  const link = await host.viewersLink();
  const viewer = await person("Viewer", { context: { viewport: { width: 360, height: 640 } }, before: slowKeys });
  const opens = async (link: string) => {
    // Of a page that is there already the link would change the fragment alone, and load nothing.
    await viewer.page.goto("about:blank");
    await viewer.page.goto(link);
  };

  await test.step("a damaged link is refused before the server hears of it", async () => {
    const sockets: string[] = [];
    viewer.page.on("websocket", (socket) => sockets.push(socket.url()));
    await opens(damaged(link));
    await expect(viewer.page.getByText("This link is damaged or incomplete. Ask for it again.")).toBeVisible();
    expect(sockets).toEqual([]);
  });

  await test.step("a link without its check, as links once were, is said to be no longer valid", async () => {
    const { href, hash } = new URL(link);
    await opens(href.replace(hash, hash.slice(0, 65)));
    await expect(viewer.page.getByRole("heading", { name: "This link is no longer valid" })).toBeVisible(SHOWN);
  });

  await test.step("who comes before the host waits, on a phone too, and asks a question later", async () => {
    await opens(link);
    await expect(viewer.page.getByRole("heading", { name: "The stream has not started" })).toBeVisible(SHOWN);
    await host.start();
    await viewer.seesMoving("the stream");
    expect(await viewer.page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await viewer.page.getByRole("button", { name: "Ask" }).click();
    await viewer.page.getByRole("textbox", { name: "Your question" }).fill("How deep is it?");
    await viewer.page.getByRole("button", { name: "Send question" }).click();
    await expect(host.page.getByRole("region", { name: "Questions" })).toContainText("Viewer 1 How deep is it?", SHOWN);
  });

  await test.step("a connection that breaks for a while accuses nobody, though signatures are lost with it", async () => {
    const before = await connectionsOf(viewer);
    await host.page.evaluate(() => (globalThis as unknown as { breakWay: () => Promise<void> }).breakWay());
    await expect(viewer.page.getByRole("heading", { name: "Reconnecting…" })).toBeVisible(SHOWN);
    await host.page.evaluate(() => (globalThis as unknown as { mendWay: () => Promise<void> }).mendWay());
    await expect.poll(() => connectionsOf(viewer), SHOWN).toBe(before + 1);
    await viewer.seesMoving("the stream");
    await expect(viewer.badge).toHaveText("encrypted", SHOWN);
  });

  await test.step("the host reloads the page: viewers are back by themselves; the host ends: they are told", async () => {
    await host.page.reload();
    await expect(viewer.page.getByRole("heading", { name: "The host is away" })).toBeVisible(SHOWN);
    await expect(viewer.badge).toHaveText("no media", SHOWN);
    await host.start();
    await viewer.seesMoving("the stream");
    await expect(viewer.badge).toHaveText("encrypted", SHOWN);
    await viewer.page.reload();
    await viewer.seesMoving("the stream");
    await host.page.getByRole("button", { name: "End stream" }).click();
    await host.page.getByRole("button", { name: "End for everybody" }).click();
    await expect(host.page.getByRole("heading", { name: "The stream has ended" })).toBeVisible();
    await expect(viewer.page.getByRole("heading", { name: "The stream has ended" })).toBeVisible(SHOWN);
    await expect(viewer.video("the stream")).toBeHidden();
    await expect(viewer.badge).toHaveText("no media");
    for (const name of ["Turn sound on", "Ask"])
      await expect(viewer.page.getByRole("button", { name }), "what has ended cannot be heard or asked").toHaveCount(0);
  });
});

test("an outsider who knows the room's name is first at a restarted server: the stream goes on, the host is back", async ({
  server,
  person,
  expectedErrors,
}) => {
  // The outsider's page may be about to fetch its service worker when the server goes.
  expectedErrors.push(/WebSocket connection to .* failed/, /when fetching the script/);
  const host = await person("Host");
  const link = await host.goLive(server.url);
  const [viewer] = (await watch(person, link, 1)) as [ChromiumPerson];
  await viewer.seesMoving("the stream");
  const outsider = await person("Outsider");
  await outsider.page.goto(server.url);
  const room = new URL(link).pathname.split("/").at(-1) ?? "";
  await outsider.page.evaluate(besiege, room);
  const heard = () => outsider.page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard);
  await expect.poll(heard, SHOWN).toContain("viewer refused-door");
  const before = (await heard()).length;
  await server.crashAndRestart();
  const since = async () => (await heard()).slice(before);
  await expect.poll(since, SHOWN).toContain("host hosting");
  await expect.poll(since, SHOWN).toContain("viewer refused-door");
  await viewer.seesMoving("the stream");
  await expect(viewer.badge).toHaveText("encrypted", SHOWN);
  const [late] = (await watch(person, link, 1)) as [ChromiumPerson];
  await late.seesMoving("the stream");
  await expect(host.page.getByRole("status", { name: "Viewers" })).toHaveText("2", SHOWN);
  await expect(host.page.getByRole("heading", { name: "Live" })).toBeVisible();
});

test("the stream in another tab: viewers go there, and the first tab ends after the last of them", async ({
  server,
  person,
}) => {
  const host = await person("Host", { before: clockThatJumps });
  const link = await host.goLive(server.url);
  const [viewer] = (await watch(person, link, 1)) as [ChromiumPerson];
  await viewer.seesMoving("the stream");
  const other = await host.page.context().newPage();
  await other.goto(host.page.url());
  await other.getByRole("button", { name: "Go live" }).click();
  await expect(host.page.getByText("another tab of this browser has taken over the stream")).toBeVisible(SHOWN);
  await expect(other.getByRole("status", { name: "Viewers" })).toHaveText("1", SHOWN);
  await viewer.seesMoving("the stream");
  await expect(async () => {
    await host.page.evaluate(() => (globalThis as unknown as { jump: (ms: number) => void }).jump(16_000));
    await expect(host.page.getByRole("heading", { name: "You are live in another tab" })).toBeVisible({
      timeout: 2_000,
    });
  }).toPass(SHOWN);
  await viewer.seesMoving("the stream");
});

test("frames that the host did not sign: the viewer says so and shows nothing", { tag: "@journey" }, async ({
  server,
  person,
}) => {
  const host = await person("Host", { before: withoutSignatures });
  const link = await host.goLive(server.url);
  const [viewer] = (await watch(person, link, 1)) as [ChromiumPerson];
  await expect(viewer.page.getByRole("heading", { name: "The picture is not the host’s" })).toBeVisible(SHOWN);
  await expect(viewer.video("the stream")).toBeHidden();
  await expect(viewer.badge).toHaveText("failing");
});

test("the host's page, or a viewer's, stands still for six seconds, and frames come without signatures: nobody is accused, and the picture goes on by itself", async ({
  server,
  person,
}) => {
  const host = await person("Host");
  const link = await host.goLive(server.url);
  const [viewer] = (await watch(person, link, 1)) as [ChromiumPerson];
  await viewer.seesMoving("the stream");
  await viewer.recordBadge();
  const waits = viewer.page.getByRole("heading", { name: "Waiting for the host’s signature" });
  const waited = expect(waits).toBeVisible(SHOWN);
  await host.page.evaluate(standStill, 6_000);
  await waited;
  await viewer.seesMoving("the stream");
  await expect(waits).toBeHidden();
  await viewer.page.evaluate(standStill, 6_000);
  await viewer.seesMoving("the stream");
  await expect(viewer.badge).toHaveText("encrypted", SHOWN);
  expect(await viewer.badges()).not.toContain("failing");
});

/** Runs in a host's page, before its own scripts: time can go by at once. */
function clockThatJumps(): void {
  const now = performance.now.bind(performance);
  let ahead = 0;
  performance.now = () => now() + ahead;
  const jump = (ms: number) => {
    ahead += ms;
  };
  Object.assign(globalThis, { jump });
}

/** Runs in the page: what the page makes sure of beside the link takes long enough for a socket to open meanwhile. */
function slowKeys(): void {
  if (!globalThis.isSecureContext) return;
  const { generateKey } = SubtleCrypto.prototype;
  SubtleCrypto.prototype.generateKey = new Proxy(generateKey, {
    apply: (target, of, given) =>
      new Promise((resolve) => setTimeout(resolve, 1_000)).then(() => Reflect.apply(target, of, given)),
  });
}

/** Runs in a host's page, before its own scripts: frames and signatures can be kept from leaving. */
function breakable(): void {
  let isBroken = false;
  const send = RTCDataChannel.prototype.send;
  RTCDataChannel.prototype.send = function (this: RTCDataChannel, data: unknown) {
    if (!isBroken) send.call(this, data as ArrayBufferView<ArrayBuffer>);
  };
  const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
  let sent: [RTCRtpSender, MediaStreamTrack | null][] = [];
  const packetsSent = async () => {
    const reports = await Promise.all(connections.map(async (one) => [...(await one.getStats()).values()]));
    return reports.flat().reduce((sum, { packetsSent = 0 }) => sum + packetsSent, 0);
  };
  const breakWay = async () => {
    isBroken = true;
    // Signatures follow after up to half a second: frames that are lost with theirs have to be under way.
    for (const before = await packetsSent(); (await packetsSent()) < before + 10; )
      await new Promise((next) => setTimeout(next, 20));
    sent = connections.flatMap((one) => one.getSenders()).map((sender) => [sender, sender.track]);
    for (const [sender] of sent) await sender.replaceTrack(null);
  };
  const mendWay = async () => {
    for (const [sender, track] of sent) await sender.replaceTrack(track);
    isBroken = false;
  };
  Object.assign(globalThis, { breakWay, mendWay });
}

/** How many connections that person's page has made. */
async function connectionsOf(person: ChromiumPerson): Promise<number> {
  return (await person.configurations()).length;
}

/** Runs in a host's page, before its own scripts: batches of signatures, the second kind of message, go nowhere. */
function withoutSignatures(): void {
  const send = RTCDataChannel.prototype.send;
  RTCDataChannel.prototype.send = function (this: RTCDataChannel, data: unknown) {
    if (ArrayBuffer.isView(data) && new Uint8Array(data.buffer, data.byteOffset)[0] === 2) return;
    send.call(this, data as ArrayBufferView<ArrayBuffer>);
  };
}

/** Runs in an outsider's page: hosts a room by a key of its own, and watches this one by a door of its own, again and again. */
async function besiege(room: string): Promise<void> {
  const base64url = (bytes: ArrayBuffer) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes)))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");
  const { publicKey, privateKey } = (await crypto.subtle.generateKey("Ed25519", true, ["sign"])) as CryptoKeyPair;
  const raw = await crypto.subtle.exportKey("raw", publicKey);
  const key = base64url(raw);
  const heard: string[] = [];
  Object.assign(globalThis, { heard });
  const prove = async (role: number, nonce: string) => {
    const asked = atob(nonce.replaceAll("-", "+").replaceAll("_", "/"));
    const head = `Sealcast door\0${String.fromCharCode(10, role, 0, location.host.length)}${location.host}`;
    const text = head + String.fromCharCode(...new Uint8Array(raw)) + asked;
    const signed = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    return base64url(await crypto.subtle.sign("Ed25519", privateKey, signed));
  };
  const entries = {
    host: async (nonce: string) => {
      const signature = await prove(5, nonce);
      return { type: "host", version: 10, key, signature, load: "l".repeat(22), doors: [key] };
    },
    viewer: async (nonce: string) => {
      const signature = await prove(4, nonce);
      return { type: "watch", version: 10, room, door: key, signature, resume: null };
    },
  };
  const attack = (as: keyof typeof entries) => {
    const socket = new WebSocket(`ws://${location.host}/signal`);
    socket.onmessage = async ({ data }) => {
      const { type, code, nonce } = JSON.parse(data);
      heard.push(`${as} ${code ?? type}`);
      if (type === "challenge") socket.send(JSON.stringify(await entries[as](nonce)));
      if (type === "hosting") socket.send(JSON.stringify({ type: "end" }));
    };
    socket.onclose = () => setTimeout(() => attack(as), 50);
  };
  for (const as of ["host", "viewer", "viewer", "viewer"] as const) attack(as);
}

/** Runs in a page: the same secret with another host's fingerprint, and a check that fits (PROTOCOL.md section 8.1). */
async function linkToAnotherHost({ room, fragment }: { room: string; fragment: string }): Promise<string> {
  const base64url = (bytes: Uint8Array) =>
    btoa(String.fromCharCode(...bytes))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");
  const bytes = Uint8Array.from(atob(fragment.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const [secret, host] = [bytes.slice(0, 32), bytes.slice(32, 48).map((byte) => byte ^ 1)];
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const info = new TextEncoder().encode(`link of a live room: ${room} ${base64url(host)}`);
  const check = await crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-512", salt: new Uint8Array(), info },
    key,
    128,
  );
  return base64url(new Uint8Array([...secret, ...host, ...new Uint8Array(check)]));
}

/** How many frames of the stream that person's workers have handed to a decoder. */
async function openedBy(person: ChromiumPerson): Promise<number> {
  const opening = (await person.tapped()).filter(({ side }) => side === "open");
  return opening.reduce((sum, { written }) => sum + written, 0);
}
