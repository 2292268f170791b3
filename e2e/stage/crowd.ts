import type { TestFixture } from "@playwright/test";
import { type LiveKitNode, Server, startLiveKit } from "@sealcast/testbed";

/** People who send to each other directly here, at most. */
const MESH_PEOPLE = 2;

export interface CrowdedServer {
  readonly livekit: LiveKitNode;
  /** Ours, which has calls of more people than two go over that. */
  readonly server: Server;
}

/** A server of one's own before a LiveKit; null where there is none. Goes after all pages have: LiveKit, asked to stop, waits for them. */
export const crowd: TestFixture<CrowdedServer | null, object> = async ({}, use) => {
  const livekit = await startLiveKit();
  if (livekit === null) return use(null);
  const environment = { ...livekit.environment, MESH_PEOPLE: `${MESH_PEOPLE}`, LOG_LEVEL: "debug" };
  const server = await Server.start({ environment });
  await use({ livekit, server });
  await server.stop();
  await livekit.program.stop("SIGKILL");
};
