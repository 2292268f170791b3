/** What cameras of the lab's pages give. */
export const CAMERA = { width: 1280, height: 720 };

/** At which bitrate that is encoded, where an experiment is not about it. */
export const BITS_PER_SECOND = 2_500_000;

/** That picture, encoded so. */
export const FILMED = { ...CAMERA, bitsPerSecond: BITS_PER_SECOND };
