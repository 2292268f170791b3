import { SHOWN } from "./stage/expect.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";
import { watch } from "./stage/viewers.ts";

test.setTimeout(180_000);
/** More than a stream has places. */
const CROWD = 14;

test("guests who ask and prove nothing are shown with a Remove button, are turned out, and take nobody's place", {
  tag: "@journey",
}, async ({ server, person }) => {
  const host = await person("Host");
  const link = await host.goLive(server.url);
  const crowd = await person("Crowd");
  await crowd.page.goto(server.url);
  await crowd.page.evaluate(besiege, { link, count: CROWD });
  const shown = host.page.getByRole("listitem", { name: /^Viewer \d+$/ });
  await expect(shown.getByRole("button", { name: "Remove" })).toHaveCount(CROWD, SHOWN);
  await expect(host.page.getByRole("status", { name: "Viewers" })).toHaveText("0");
  const viewer = await person("Viewer", { before: recordHost });
  await viewer.page.goto(link);
  await viewer.seesMoving("the stream");
  expect((await received(viewer)).messages).not.toContainEqual({ type: "full" });
  await expect(host.page.getByRole("status", { name: "Viewers" })).toHaveText("1", SHOWN);
  const dismissed = () =>
    crowd.page.evaluate(() => (globalThis as unknown as { heard: { dismissed: number } }).heard.dismissed);
  await expect.poll(dismissed, SHOWN).toBeGreaterThanOrEqual(CROWD);
  await viewer.seesMoving("the stream");
  await expect(viewer.badge).toHaveText("encrypted", SHOWN);
});

test("a viewer's page is told the same alone and while others come, mute and go", async ({ server, person }) => {
  const host = await person("Host");
  const link = await host.goLive(server.url);
  const viewer = await person("Viewer", { before: recordHost });
  await viewer.page.goto(link);
  await viewer.seesMoving("the stream");
  await expect(viewer.badge).toHaveText("encrypted", SHOWN);
  const microphone = host.page.getByRole("button", { name: "Microphone", exact: true });
  const toggled = async () => {
    const before = await received(viewer);
    for (const on of ["false", "true"]) {
      await microphone.click();
      await expect(microphone).toHaveAttribute("aria-pressed", on);
    }
    const heard = async () => (await received(viewer)).messages.slice(before.messages.length);
    await expect.poll(heard, SHOWN).toHaveLength(2);
    const lengths = (await received(viewer)).lengths.slice(before.lengths.length);
    return { messages: await heard(), lengths: [...new Set(lengths)] };
  };
  const alone = await toggled();
  expect(alone.messages).toEqual([
    { type: "sends", picture: true, sound: false },
    { type: "sends", picture: true, sound: true },
  ]);
  expect(alone.lengths, "letters of what the server delivered").toHaveLength(1);
  const { messages: before } = await received(viewer);
  const packets = await packetLengths(host);
  for (const other of await watch(person, link, 2)) {
    await other.seesMoving("the stream");
    await other.page.getByRole("button", { name: "Turn sound on" }).click();
    await other.hears();
    await other.page.getByRole("button", { name: "Turn sound off" }).click();
  }
  expect(await packetLengths(host), "milliseconds of sound in a packet").toEqual(packets);
  expect((await received(viewer)).messages, "what the viewer was told while others came").toEqual(before);
  expect(await toggled()).toEqual(alone);
});

/** What the host has said to that viewer's page, and how long what the server delivered to it was. */
async function received(viewer: ChromiumPerson): Promise<{ messages: unknown[]; lengths: number[] }> {
  const messages = await viewer.page.evaluate(() => (globalThis as unknown as { fromHost: unknown[] }).fromHost);
  const delivered = viewer.socket.filter((text) => text.startsWith('{"type":"delivered"'));
  return { messages, lengths: delivered.map((text) => text.length) };
}

/** What the host's page has made of its viewers' descriptions. */
async function packetLengths(host: ChromiumPerson): Promise<string[]> {
  const sdps = await host.page.evaluate(() =>
    (globalThis as unknown as { connections: RTCPeerConnection[] }).connections.map(
      ({ remoteDescription }) => remoteDescription?.sdp ?? "",
    ),
  );
  return [...new Set(sdps.flatMap((sdp) => sdp.match(/a=ptime:\d+/) ?? []))];
}

/** Runs in a viewer's page, before its own scripts: keeps what its keys worker opened of the host's messages. */
function recordHost(): void {
  const fromHost: unknown[] = [];
  Object.assign(globalThis, { fromHost });
  const { postMessage } = Worker.prototype;
  const heard = new WeakSet<Worker>();
  const hear = ({ data }: MessageEvent) => {
    if (data.type === "message") fromHost.push(JSON.parse(new TextDecoder().decode(data.body)));
  };
  Worker.prototype.postMessage = function (this: Worker, message: unknown, given) {
    if (!heard.has(this)) this.addEventListener("message", hear);
    heard.add(this);
    postMessage.call(this, message, given as StructuredSerializeOptions);
  };
}

/**
 * Runs in a page: this many sockets prove the link's door and ask the host for the keys, and open no answer (PROTOCOL.md
 * sections 8.1, 8.2 and 8.4). Those that are turned out come again.
 */
async function besiege({ link, count }: { link: string; count: number }): Promise<void> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const bytesOf = (text: string) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const base64url = (bytes: Uint8Array) =>
    btoa(String.fromCharCode(...bytes))
      .replaceAll("+", "-")
      .replaceAll("/", "_")
      .replaceAll("=", "");
  const { pathname, hash } = new URL(link);
  const room = pathname.split("/").at(-1) ?? "";
  const secret = bytesOf(hash.slice(1)).slice(0, 32);
  const derive = async (info: string, length: number) => {
    const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
    const algorithm = { name: "HKDF", hash: "SHA-512", salt: new Uint8Array(), info: encode(info) };
    return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 8 * length));
  };
  const pkcs8 = bytesOf("MC4CAQAwBQYDK2VwBCIEIA");
  const doorBytes = new Uint8Array([...pkcs8, ...(await derive(`door ${room}`, 32))]);
  const door = await crypto.subtle.importKey("pkcs8", doorBytes, "Ed25519", true, ["sign"]);
  const publicDoor = (await crypto.subtle.exportKey("jwk", door)).x ?? "";
  const watch = async (nonce: string) => {
    const head = [...encode("Sealcast door\0"), 10, 4, 0, location.host.length, ...encode(location.host)];
    const signed = new Uint8Array([...head, ...bytesOf(publicDoor), ...bytesOf(nonce)]);
    const signature = base64url(new Uint8Array(await crypto.subtle.sign("Ed25519", door, signed)));
    return { type: "watch", version: 10, room, door: publicDoor, signature, resume: null };
  };
  const macKey = await derive("live ask", 64);
  const ask = async () => {
    const claims = new Uint8Array(1274);
    claims[0] = 1;
    new DataView(claims.buffer).setBigUint64(18, BigInt(Math.floor(Date.now() / 1000) + 120));
    crypto.getRandomValues(claims.subarray(26, 58));
    // A key of X-Wing: ML-KEM's with zeros only, and the base point of X25519.
    claims[58 + 1184] = 9;
    const key = await crypto.subtle.importKey("raw", macKey, { name: "HMAC", hash: "SHA-512" }, false, ["sign"]);
    const macced = new Uint8Array([...encode("Sealcast live ask\0"), ...encode(room), ...claims]);
    const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, macced));
    return { type: "tell", body: base64url(new Uint8Array([...claims, ...mac])) };
  };
  const heard = { dismissed: 0 };
  Object.assign(globalThis, { heard });
  const attack = () => {
    const socket = new WebSocket(`ws://${location.host}/signal`);
    socket.onmessage = async ({ data }) => {
      const { type, code, nonce } = JSON.parse(data);
      if (code === "dismissed") heard.dismissed += 1;
      if (type === "challenge") socket.send(JSON.stringify(await watch(nonce)));
      if (type === "watching") socket.send(JSON.stringify(await ask()));
    };
    socket.onclose = () => setTimeout(attack, 50);
  };
  for (let i = 0; i < count; i += 1) attack();
}
