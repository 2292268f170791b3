import { headerVectorCases } from "./header.cases.ts";

headerVectorCases();
