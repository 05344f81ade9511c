/** Where an address is: which Project it is in. */

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
