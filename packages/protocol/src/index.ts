export * from "./messages.ts";
export { parseDown, parseUp } from "./parse.ts";
