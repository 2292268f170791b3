import { ONE_LAYER } from "./layers.ts";
import { serve } from "./media.ts";

serve(ONE_LAYER);
