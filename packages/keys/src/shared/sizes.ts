/** Sizes in bytes of what calls and live streams both have. */

/** A link's secret. */
export const SECRET_SIZE = 32;
/** What follows a secret in a link whose room is not named by it. */
export const CHECK_SIZE = 16;
/** A symmetric key of AES-256, and what one is derived from. */
export const KEY_SIZE = 32;
/** A public key of X-Wing: of ML-KEM-768, then of X25519. */
export const X_WING_KEY_SIZE = 1216;
