declare const unit: unique symbol;

/** A time or a duration in milliseconds. */
export type Milli = number & { readonly [unit]: "milli" };

/** Says that a plain number is in milliseconds. */
export const milli = (value: number): Milli => value as Milli;
