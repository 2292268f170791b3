declare const unit: unique symbol;

/** A time or a duration in milliseconds. */
export type Milli = number & { readonly [unit]: "milli" };
/** A time or a duration in microseconds, the unit of media timestamps. */
export type Micro = number & { readonly [unit]: "micro" };

/** Says that a plain number is in milliseconds. */
export const milli = (value: number): Milli => value as Milli;
/** Says that a plain number is in microseconds. */
export const micro = (value: number): Micro => value as Micro;

export const toMilli = (value: Micro): Milli => milli(value / 1000);
export const toMicro = (value: Milli): Micro => micro(value * 1000);
