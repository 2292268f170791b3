import type { Person } from "./person.ts";

/** Runs in the page before its own scripts: what its client says of its devices is kept back. */
export function keepProfileBack(): void {
  const { postMessage } = Worker.prototype;
  const kept: (() => void)[] = [];
  Worker.prototype.postMessage = function (this: Worker, message: { type?: string; body?: Uint8Array }, given) {
    const post = () => postMessage.call(this, message, given as StructuredSerializeOptions);
    const isProfile = message.type === "send" && new TextDecoder().decode(message.body).includes('"type":"profile"');
    if (isProfile) kept.push(post);
    else post();
  };
  const sendKept = () => {
    for (const post of kept.splice(0)) post();
  };
  Object.assign(globalThis, { sendKept });
}

/** Sends what was kept back. */
export function sendKeptProfile({ page }: Person): Promise<void> {
  return page.evaluate(() => (globalThis as unknown as { sendKept: () => void }).sendKept());
}

/** The client puts this name into its leaf as it stands, whatever its page would make of it. */
export async function nameLeaf({ context }: Person, name: string): Promise<void> {
  await context.addInitScript((name) => {
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (this: Worker, message: { type?: string }, given) {
      const changed = message.type === "introduce" ? { ...message, name } : message;
      postMessage.call(this, changed, given as StructuredSerializeOptions);
    };
  }, name);
}
