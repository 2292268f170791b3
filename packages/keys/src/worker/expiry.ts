/** For how long a knock or an ask holds. */
const LIFE_SECONDS = 120n;
/** How far the clocks of two devices may lie apart. */
const SKEW_SECONDS = 120n;

/** When what is made now expires. Both in seconds since 1970. */
export function expiryFrom(seconds: bigint): bigint {
  return seconds + LIFE_SECONDS;
}

/** Whether what expires then was made lately, as far as two clocks tell. Both in seconds since 1970. */
export function isCurrent(expiry: bigint, seconds: bigint): boolean {
  return expiry + SKEW_SECONDS >= seconds && expiry <= seconds + LIFE_SECONDS + SKEW_SECONDS;
}
