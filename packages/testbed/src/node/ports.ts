import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

/** Free for TCP and for UDP: the server answers STUN on the same one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const probe = createServer();
    await once(probe.listen(0), "listening");
    const address = probe.address();
    if (address === null || typeof address === "string") throw new Error("No free port was given.");
    const isFree = await isFreeForUdp(address.port);
    probe.close();
    if (isFree) return address.port;
  }
}

async function isFreeForUdp(port: number): Promise<boolean> {
  const probe = createSocket("udp4");
  return new Promise((resolve) => {
    probe.once("error", () => resolve(false));
    probe.bind(port, () => probe.close(() => resolve(true)));
  });
}
