import type { ChromiumPerson } from "./person.ts";

/** How many links encode this person's video themselves, by the browser's word: those of a fan-out encode stand-ins. */
export function ownEncoders(person: ChromiumPerson): Promise<number> {
  return person.page.evaluate(async () => {
    const { connections } = globalThis as unknown as { connections: RTCPeerConnection[] };
    const live = connections.filter(({ connectionState }) => connectionState !== "closed");
    const reports = await Promise.all(live.map(async (connection) => [...(await connection.getStats()).values()]));
    return reports
      .flat()
      .filter(({ type, kind, frameWidth }) => type === "outbound-rtp" && kind === "video" && frameWidth > 32).length;
  });
}
