/** A name in text that holds no elements, as a chart's labels, isolated from what stands around it (Unicode Standard Annex 9, section 2.2). */
export const isolated = (name: string): string => `\u2068${name}\u2069`;
