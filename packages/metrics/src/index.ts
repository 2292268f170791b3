export { Histogram } from "./histogram.ts";
