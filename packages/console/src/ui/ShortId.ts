/** Ids as people tell them apart. */

/** `cand_4be1a0c2…/test` as `cand_4be1a0c2/test`; digests and commits as their first 8 characters. */
export const shortId = (id: string): string => {
  const [, prefix = "", rest = id, below = ""] = /^([a-z]+_)([^/]+)(\/.+)?$/.exec(id) ?? []
  return `${prefix}${rest.slice(0, 8)}${below}`
}
