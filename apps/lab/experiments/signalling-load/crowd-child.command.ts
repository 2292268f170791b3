import { Crowd, type Task } from "./crowd.command.ts";

/** A process of its own, so that what its clients cost is not the server's. Answers each task with its waits. */
const crowd = new Crowd();

process.on("message", (task: Task) => void crowd.do(task).then((waits) => process.send?.(waits)));
