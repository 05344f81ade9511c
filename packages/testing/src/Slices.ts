/** Which part of a long list a shallow run takes, so that some commits in a row take all of it. */

/** So many commits in a row cover everything. */
export const slices = 10

/** The slice of a seed, from 0: its last digit. Seeds of commits in a row end in digits in a row. */
export const sliceIndex = (seed: number): number => seed % slices

/**
 * About `quick` items of a list, spread over it, and at least one in ten. Over ten seeds in a row each item is taken at
 * least once. The order stays.
 */
export const sliceOf = <A>(all: ReadonlyArray<A>, quick: number, seed: number): ReadonlyArray<A> => {
  const parts = Math.min(slices, Math.max(1, Math.ceil(all.length / Math.max(1, quick))))
  return all.filter((_, index) => index % parts === sliceIndex(seed) % parts)
}
