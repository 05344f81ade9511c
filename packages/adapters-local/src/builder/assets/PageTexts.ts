/** What a page reads as. Part of the process of a build, which takes nothing of other packages along. */
/** How an asset is to be read as a page. */
export interface Page {
  /** Read as XML, where elements of XHTML are what they are in HTML. HTML is looked for in every page. */
  readonly xml: boolean
  /** Encodings that `_headers` names for it, beside UTF-8 and what its first bytes say. */
  readonly charsets: ReadonlyArray<string>
  /** Whether `_headers` says that its bytes are compressed. */
  readonly compressed: boolean
}

/** The encoding that the first bytes tell. */
export const byteOrder = (bytes: Uint8Array): "utf-16le" | "utf-16be" | null =>
  bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null

/** The text of a page in an encoding; null for one that no browser knows. */
const decoded = (bytes: Uint8Array, charset: string): string | null => {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return null
  }
}

/** What a page may read as: by its first bytes, which browsers believe before all else, or in every encoding named for it. */
export const textsOfPage = (bytes: Uint8Array, charsets: ReadonlyArray<string>): ReadonlyArray<string> => {
  const order = byteOrder(bytes)
  const all = (order === null ? ["utf-8", ...charsets] : [order]).map((charset) => decoded(bytes, charset))
  return [...new Set(all.filter((text) => text !== null))]
}
