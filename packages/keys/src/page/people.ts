export { labelled, labelText } from "./labels.ts";
export { areNamesakes } from "./namesakes.ts";
export { isVerified, trustOf } from "./trust.ts";
