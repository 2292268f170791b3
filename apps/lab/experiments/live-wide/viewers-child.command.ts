import { type CrowdTask, HeadlessCrowd } from "./headless-crowd.command.ts";
import { makeCryptoSynchronous } from "./synchronous-crypto.command.ts";

/** A process of its own, so that what its viewers cost is not the browsers'. Answers each task with what they have seen. */
makeCryptoSynchronous();
const crowd = new HeadlessCrowd();

process.on("message", (task: CrowdTask) => void crowd.do(task).then((seen) => process.send?.(seen)));
// The command was ended: relays keep its sockets open.
process.on("disconnect", () => process.exit());
