/** Where an address is: which Project it is in. */

/** Whether an address is one of a pattern: `:name` stands for any part, and one with `?` may be missing. */
export const isAt = (pattern: string, path: string): boolean => {
  const parts = pattern.split("/").slice(1)
  const shape = parts.map((part) =>
    !part.startsWith(":") ? `/${part}` : part.endsWith("?") ? "(?:/[^/]+)?" : "/[^/]+"
  )
  return new RegExp(`^${shape.join("")}/?$`).test(path)
}

/** The label in `/p/<label>…`; null elsewhere. */
export const labelIn = (path: string): string | null => {
  const [, label] = /^\/p\/([^/]+)/.exec(path) ?? []
  return label === undefined ? null : decodeURIComponent(label)
}

/** The id in `/changes/<id>…`; null elsewhere. */
export const changeIn = (path: string): string | null => {
  const [, id] = /^\/changes\/([^/]+)/.exec(path) ?? []
  return id === undefined ? null : decodeURIComponent(id)
}

/** The query of an address without one of its names. */
export const withoutName = (search: URLSearchParams, name: string): URLSearchParams => {
  const left = new URLSearchParams(search)
  left.delete(name)
  return left
}
