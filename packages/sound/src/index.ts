export { joined } from "./joined.ts";
export { Mono } from "./mono.ts";
