import { frozenCases } from "./frozen.cases.ts";

frozenCases();
