/** Bytes in one piece. */

/** All of these bytes, one after the other. */
export const joined = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
