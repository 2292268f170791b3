export { executablePath, fakeDevices, flags } from "./chromium.ts";
export { media } from "./media.ts";
export { beforeMediaWorkers } from "./media-workers.ts";
export { browserStarter, firstProblem, removeNamespaces, withinNamespace } from "./namespaces.ts";
export { freePort } from "./ports.ts";
export { processesOf, readProcess } from "./processes.ts";
export { goLive, joinCall, openCall, openStream, pressControl } from "./product-page.ts";
export { findProgram } from "./programs.ts";
export { Relay } from "./relay.ts";
export { root } from "./root.ts";
export { Server } from "./server.ts";
export {
  type LiveKitNode,
  liveRelayAuthUrl,
  liveRelayEnvironment,
  type MoqRelay,
  newSecret,
  startLiveKit,
  startMoqRelays,
  startRedis,
} from "./servers.ts";
export { type WalledNetworks, walledNetworks } from "./walled-networks.ts";
