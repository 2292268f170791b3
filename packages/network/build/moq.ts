import type { Plugin } from "vite";

/** Where a subscriber of `@moq/net` reads a group. */
const READER = /\/@moq\/net\/lite\/subscriber\.js$/;
/** Each frame of each group leaves a listener with the track, until that ends: some 600 bytes a frame. */
const LEAKS = `for (;;) {
                const done = await Promise.race([stream.done(), track.closed, producer.closed]);`;
/** One listener a group, which goes with the group. */
const MENDED = `const over = Promise.withResolvers();
            const forget = track.closed.changed(over.resolve);
            producer.closed.changed((reason) => {
                forget();
                over.resolve(reason);
            });
            for (const { closed } of [track, producer]) if (closed.peek() !== undefined) over.resolve(closed.peek());
            for (;;) {
                const done = await Promise.race([stream.done(), over.promise]);`;

/** Has a viewer's relay client not grow by 1.5 MB a minute (`@moq/net` 0.3.4, the newest). */
export function moq(): Plugin {
  return {
    name: "sealcast-moq",
    enforce: "pre",
    transform(code, id) {
      if (!READER.test(id.replaceAll("\\", "/"))) return null;
      if (!code.includes(LEAKS)) return this.error("@moq/net's reader is not what it was: see packages/network/build");
      return { code: code.replace(LEAKS, MENDED), map: null };
    },
  };
}
