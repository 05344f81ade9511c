/** What bytes say when they are read as UTF-8. The way back is `utf8` of `Digest`. */

declare const TextDecoder: {
  new (
    label: "utf-8",
    options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean }
  ): { decode(bytes: Uint8Array): string }
}

const lenient = new TextDecoder("utf-8")
const strict = new TextDecoder("utf-8", { fatal: true })
const exact = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const orNull = (decoder: typeof strict, bytes: Uint8Array): string | null => {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

/** The text of bytes; U+FFFD stands where they are not UTF-8. A mark of the byte order in front is none of it. */
export const textOf = (bytes: Uint8Array): string => lenient.decode(bytes)

/** The text of bytes; null when they are not UTF-8. A mark of the byte order in front is none of it. */
export const wholeText = (bytes: Uint8Array): string | null => orNull(strict, bytes)

/** The text of bytes, from which the same bytes can be made again: a mark of the byte order stays. Null when they are not UTF-8. */
export const exactText = (bytes: Uint8Array): string | null => orNull(exact, bytes)
