/** Width and height of a stand-in in pixels: as small as encoders take (see [Note: Stand-ins]). */
export const STAND_IN_SIZE = 32;
