/** What the engine hears, samples a second. */
export const SAMPLE_RATE = 16_000;
