/** Which generations one request brings: a line of ten thousand is asked for a hundred at a time, where it is looked at. */

/** Generations in one request, which is as many as the API answers. */
const chunkSize = 100

/** The chunk that a generation is in: 0 has S0 to S99. The same numbers always come together, so an answer can be kept. */
export const chunkOf = (generation: number): number => Math.floor(generation / chunkSize)

/** What the API is asked for a chunk. */
export const askedFor = (chunk: number): { readonly before: number; readonly limit: number } => ({
  before: (chunk + 1) * chunkSize,
  limit: chunkSize
})

/** The row of a generation below a head, and the generation of a row: the newest stands first. */
export const rowOf = (head: number, generation: number): number => head - generation

/** What somebody typed as a generation: `12`, `S12`, `s12`; null for what is none, or not up to the head. */
export const generationIn = (typed: string, head: number): number | null => {
  const [, digits] = /^\s*[sS]?(\d{1,9})\s*$/.exec(typed) ?? []
  const number = digits === undefined ? null : Number(digits)
  return number !== null && number <= head ? number : null
}
