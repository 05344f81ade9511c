/** Ids as people tell them apart. */

/** `cand_4be1a0c2…` as `cand_4be1a0c2`; digests and commits as their first 8 characters. */
export const shortId = (id: string): string => {
  const [, prefix = "", rest = id] = /^([a-z]+_)(.+)$/.exec(id) ?? []
  return `${prefix}${rest.slice(0, 8)}`
}
