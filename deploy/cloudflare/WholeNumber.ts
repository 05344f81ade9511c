/** Whole numbers in the environment of a deployment. Pure. */

/** The number that a text is, of nine digits at most; null where it is none, or less than `least`. */
export const whole = (text: string, least: number): number | null =>
  /^\d{1,9}$/.test(text.trim()) && Number(text) >= least ? Number(text) : null
