import { serve } from "./media.ts";
import { TWO_LAYERS } from "./sealing/two-layers.ts";

serve(TWO_LAYERS);
