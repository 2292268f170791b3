/** Pixels of a stand-in, both ways: as small as encoders take, and smaller than any camera's frame. */
export const STAND_IN_SIZE = 32;
