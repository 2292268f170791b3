import { vectorCases } from "./vectors.cases.ts";

vectorCases();
