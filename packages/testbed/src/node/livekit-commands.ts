import { type LiveKitNode, startLiveKit } from "./servers.ts";

let node: LiveKitNode | null = null;

/** What tests that run in a browser ask of Node: a LiveKit server. One at a time, as files run one after the other. */
export const livekitCommands = {
  /** With a token for each identity, all for one room, which they rule; null where there is none on this machine. */
  async startLiveKit(_context: unknown, identities: string[]): Promise<{ url: string; tokens: string[] } | null> {
    node = await startLiveKit();
    return (
      node && {
        url: node.url,
        tokens: identities.map((identity) => node?.token(identity, "test", { roomAdmin: true }) ?? ""),
      }
    );
  },
  /** It comes back at the same address and knows nothing of its rooms. */
  async crashLiveKit(): Promise<void> {
    await node?.program.stop("SIGKILL");
    await node?.program.restart();
  },
  async stopLiveKit(): Promise<void> {
    await node?.program.stop();
    node = null;
  },
};
