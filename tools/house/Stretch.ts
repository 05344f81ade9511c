/** Which files a quick run asks of what takes long. */
import { sliceIndex, slices } from "../../packages/testing/src/Slices.ts"

/**
 * A tenth of a list, and with the next seed the next tenth. Its items stand beside each other, for files that do need the
 * types of the same modules.
 */
export const stretchOf = <A>(all: ReadonlyArray<A>, seed: number): ReadonlyArray<A> => {
  const size = Math.ceil(all.length / slices)
  const first = size * sliceIndex(seed)
  return all.slice(first, first + size)
}
