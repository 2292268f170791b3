/** Addresses of files that Vite gives hashed names. */
declare module "*?url" {
  const url: string;
  export default url;
}

/** Given its export by `build/litert.ts`. */
declare module "@litertjs/core/wasm/litert_wasm_internal.js" {
  const start: (options: object) => Promise<object>;
  export default start;
}
