/** Long texts inside JSON, made while they are read: neither the text nor the JSON is ever whole in memory. */
import { Effect, Stream } from "effect"
import { Base64 } from "effect/encoding"

/** Pieces of UTF-8 as text, whole characters at a time; what is not UTF-8 becomes U+FFFD. */
export const asText = <E, R>(pieces: Stream.Stream<Uint8Array, E, R>): Stream.Stream<string, E, R> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
    return Stream.concat(
      Stream.map(pieces, (piece) => decoder.decode(piece, { stream: true })),
      Stream.suspend(() => Stream.make(decoder.decode()))
    )
  })

/** Pieces of UTF-8 as the inside of a JSON string. */
export const asJsonText = <E, R>(pieces: Stream.Stream<Uint8Array, E, R>): Stream.Stream<string, E, R> =>
  Stream.map(asText(pieces), (text) => JSON.stringify(text).slice(1, -1))

/** Pieces of bytes as the inside of a JSON string in base64. */
export const asBase64 = <E, R>(pieces: Stream.Stream<Uint8Array, E, R>): Stream.Stream<string, E, R> =>
  Stream.suspend(() => {
    let left = new Uint8Array()
    const whole = Stream.map(pieces, (piece) => {
      const all = new Uint8Array(left.length + piece.length)
      all.set(left)
      all.set(piece, left.length)
      // Three bytes are four characters: what is over waits for the next piece.
      const end = all.length - (all.length % 3)
      left = all.slice(end)
      return Base64.encode(all.subarray(0, end))
    })
    return Stream.concat(
      whole,
      Stream.suspend(() => Stream.make(Base64.encode(left)))
    )
  })

/** Whether the bytes are text: UTF-8 without a zero byte. */
export const isText = <E, R>(pieces: Stream.Stream<Uint8Array, E, R>): Effect.Effect<boolean, E, R> =>
  Effect.suspend(() => {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
    const takes = (piece?: Uint8Array): boolean => {
      try {
        decoder.decode(piece, { stream: piece !== undefined })
        return piece?.includes(0) !== true
      } catch {
        return false
      }
    }
    return Effect.map(
      Stream.runFold(
        pieces,
        () => true,
        (fits, piece) => fits && takes(piece)
      ),
      (fits) => fits && takes()
    )
  })
