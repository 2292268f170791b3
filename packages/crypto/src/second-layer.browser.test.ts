import { secondLayerCases } from "./second-layer.cases.ts";

secondLayerCases();
