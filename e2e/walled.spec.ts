import { openCall, Server, walledNetworks } from "@sealcast/testbed";
import { SHOWN } from "./stage/expect.ts";
import type { ChromiumPerson } from "./stage/person.ts";
import { expect, test } from "./stage/test.ts";
import { browserIn, turnIn } from "./stage/walled.ts";

test.setTimeout(240_000);

/** Where a side's own addresses begin. */
const ADA_IS_AT = "10.79.1.";

test("between networks that lead nowhere else a call goes through the TURN server over UDP, TCP or TLS; who hides their address shows none", async ({
  person,
}) => {
  const networks = walledNetworks();
  if ("missing" in networks) return test.skip(true, `no networks of their own: ${networks.missing}`);
  const turn = await turnIn(networks);
  if (turn === null) {
    networks.close();
    return test.skip(true, "no turnserver");
  }
  const server = await Server.start({ environment: turn.environment });
  await networks.publish(server.port);
  const a = await browserIn(networks.browsers.a, networks, turn);
  const b = await browserIn(networks.browsers.b, networks, turn);
  const [ada, ben] = [await person("Ada", { browser: a }), await person("Ben", { browser: b, before: listen })];

  await test.step("only TLS at port 443 leads out of one network, only TCP out of the other", async () => {
    networks.wall("a", "443");
    networks.wall("b", "tcp");
    await ben.open(await hideAndStart(ada, server.url));
    await Promise.all([ada.seesMoving("Ben"), ben.seesMoving("Ada")]);
    await expect.poll(() => wayTo(ada, "Ben"), SHOWN).toContain("Through a relay (TLS)");
    await expect.poll(() => wayTo(ben, "Ada"), SHOWN).toContain("Through a relay (TCP)");
    for (const one of [ada, ben]) await expect(one.badge).toHaveText("encrypted", SHOWN);
  });

  await test.step("where UDP goes out again, who comes back goes over that, hidden as before", async () => {
    networks.wall("a", "open");
    await ada.page.reload();
    await ada.seesMoving("Ben");
    await expect.poll(() => wayTo(ada, "Ben"), SHOWN).toContain("Through a relay (UDP)");
  });

  await test.step("of the one who hides, the other's page was never told an address", async () => {
    const heard = await ben.page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard.join("\n"));
    expect(heard).toContain(networks.middle);
    expect(heard.match(/typ (?!relay)\w+/g), "candidates of another kind").toBeNull();
    expect(heard).not.toContain(ADA_IS_AT);
  });
  await Promise.all([a.close(), b.close()]);
  await server.stop();
  turn.close();
  networks.close();
});

/** As someone does who does not want to be found. */
async function hideAndStart(person: ChromiumPerson, url: string): Promise<string> {
  const link = await openCall(person.page, url);
  await person.page.getByRole("checkbox", { name: "Hide my address from others" }).check();
  await person.join();
  return link;
}

/** What the options for someone say of the connection to them. */
async function wayTo({ page }: ChromiumPerson, name: string): Promise<string> {
  return (await page.getByRole("group", { name: `Options for ${name}`, includeHidden: true }).textContent()) ?? "";
}

/** Runs in the page: keeps all that the other end says of its addresses, and all that the browser knows of them. */
function listen(): void {
  const heard: string[] = [];
  Object.assign(globalThis, { heard });
  for (const method of ["addIceCandidate", "setRemoteDescription"] as const) {
    RTCPeerConnection.prototype[method] = new Proxy(RTCPeerConnection.prototype[method], {
      apply(target, self, args) {
        heard.push(JSON.stringify(args));
        return Reflect.apply(target, self, args);
      },
    });
  }
}
