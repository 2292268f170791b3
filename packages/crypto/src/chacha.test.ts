import { chaChaCases } from "./chacha.cases.ts";

chaChaCases();
