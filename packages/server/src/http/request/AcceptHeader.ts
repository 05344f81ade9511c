/** Which of two forms a caller wants, by its `Accept` header (RFC 9110, 12.5.1). */

interface Range {
  readonly type: string
  readonly quality: number
}

const ranges = (accept: string): ReadonlyArray<Range> =>
  accept.split(",").map((part) => {
    const [type = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase())
    const quality = parameters.find((each) => each.startsWith("q="))?.slice(2)
    const read = quality === undefined ? 1 : Number(quality)
    return { type, quality: Number.isFinite(read) ? read : 0 }
  })

/** How much a type is wanted: what names it most closely counts. */
const qualityOf = (all: ReadonlyArray<Range>, type: string): number => {
  const closeness = [type, `${type.split("/")[0] ?? ""}/*`, "*/*"]
  for (const each of closeness) {
    const range = all.find((candidate) => candidate.type === each)
    if (range !== undefined) return range.quality
  }
  return 0
}

/** Whether the caller wants `type` more than `other`. Without a header, and when both are equal, it is `other`. */
export const prefers = (accept: string | undefined, type: string, other: string): boolean => {
  const all = ranges(accept ?? "*/*")
  return qualityOf(all, type) > qualityOf(all, other)
}
