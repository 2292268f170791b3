export { labelled, labelText } from "./labels.ts";
export { isVerified, trustOf } from "./trust.ts";
