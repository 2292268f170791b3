import { hpkeVectorCases } from "./hpke-vectors.cases.ts";

hpkeVectorCases();
