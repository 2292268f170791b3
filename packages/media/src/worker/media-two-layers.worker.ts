import { serve } from "./media.ts";
import { TWO_LAYERS } from "./two-layers.ts";

serve(TWO_LAYERS);
