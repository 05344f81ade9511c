/** The code that a device shows and a person types. */

const half = 4

/** As it is shown: capital letters, a dash in the middle, nothing else. */
export const asUserCode = (typed: string): string => {
  const letters = typed
    .toUpperCase()
    .replace(/[^A-Z]/g, "")
    .slice(0, 2 * half)
  return letters.length <= half ? letters : `${letters.slice(0, half)}-${letters.slice(half)}`
}
