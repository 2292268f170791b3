import { serve } from "./media.ts";
import { ONE_LAYER } from "./sealing/layers.ts";

serve(ONE_LAYER);
