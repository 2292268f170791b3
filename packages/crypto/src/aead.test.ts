import { aeadCases } from "./aead.cases.ts";

aeadCases();
