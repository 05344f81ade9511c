/** Files of what is verified: read piece by piece, for they may be large and hostile. */
import { closeSync, createReadStream, existsSync, openSync, readSync, statSync } from "node:fs"
import { createHash, hash } from "node:crypto"
import { Limits } from "@pawl/core/primitives/Limits"
import { type KeptThing, type Line, MaterialUnreadable } from "@pawl/core/proof/Material"
import { exactText } from "@pawl/core/primitives/Utf8"
import { Effect, Stream } from "effect"

const newline = 0x0a

/** What went wrong with a part, without a path of this machine. */
export const unreadable = (part: string, reason: string): MaterialUnreadable => new MaterialUnreadable({ part, reason })

/** The code of an error of Node. */
const codeOf = (error: unknown): string =>
  error instanceof Error ? ("code" in error ? String(error.code) : error.message) : String(error)

/** A pipe would never end, and a device neither: only a file is read. */
const fileOf = (path: string) => {
  const found = statSync(path)
  if (!found.isFile()) throw new Error("it is no file")
  return found
}

/** The lines of some bytes: each ends with a newline, and has at most `bytes`. One that is not so is null. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<ReadonlyArray<Line>> {
  let rest: Array<Uint8Array> = []
  let length = 0
  let skips = false
  const take = (piece: Uint8Array): void => {
    length += piece.length
    if (length > bytes) {
      skips = true
      rest = []
    } else if (!skips) rest.push(piece)
  }
  const end = (): Line => {
    const [only] = rest
    const line = skips ? null : exactText(rest.length === 1 && only !== undefined ? only : Buffer.concat(rest))
    rest = []
    length = 0
    skips = false
    return line
  }
  for await (const chunk of chunks) {
    const lines: Array<Line> = []
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      take(chunk.subarray(from, at))
      lines.push(end())
      from = at + 1
    }
    if (from < chunk.length) take(chunk.subarray(from))
    yield lines
  }
  // What has no newline at its end was cut off, or is not as it was written.
  if (length > 0) yield [null]
}

/** The lines of a file, in the order of the file; of one that is not there it fails. */
export const fileLines = (
  path: string,
  part: string,
  bytes: number
): Stream.Stream<ReadonlyArray<Line>, MaterialUnreadable> =>
  Stream.unwrap(
    Effect.try({
      try: () => {
        fileOf(path)
        const chunks = createReadStream(path, { highWaterMark: 1024 * 1024 })
        return Stream.fromAsyncIterable(linesOf(chunks, bytes), (error) => unreadable(part, codeOf(error)))
      },
      catch: (error) => unreadable(part, codeOf(error))
    })
  )

/** A small file as text; null for one that is not there, or is no UTF-8 or too large, which is then said. */
export const smallFile = (
  path: string,
  part: string,
  bytes: number
): Effect.Effect<string | null, MaterialUnreadable> =>
  Effect.suspend(() => {
    if (!existsSync(path)) return Effect.succeed(null)
    try {
      const { size } = fileOf(path)
      if (size > bytes) return Effect.fail(unreadable(part, `it has more than ${bytes} bytes`))
      const text = exactText(readWhole(path, 0, size))
      return text === null ? Effect.fail(unreadable(part, "it is no UTF-8")) : Effect.succeed(text)
    } catch (error) {
      return Effect.fail(unreadable(part, codeOf(error)))
    }
  })

/** So many bytes of a file from a place on. */
export const readWhole = (path: string, at: number, length: number): Uint8Array => {
  const file = openSync(path, "r")
  try {
    const bytes = Buffer.allocUnsafe(length)
    let read = 0
    while (read < length) {
      const more = readSync(file, bytes, read, length - read, at + read)
      if (more === 0) break
      read += more
    }
    return bytes.subarray(0, read)
  } finally {
    closeSync(file)
  }
}

const atOnceBytes = 1024 * 1024

const sumOf = async (path: string): Promise<string> => {
  const sum = createHash("sha256")
  for await (const chunk of createReadStream(path)) sum.update(chunk)
  return sum.digest("hex")
}

/** A file under some digest: what it has, and its bytes; null for one that is not there. */
export const keptFile = (path: string, part: string): Effect.Effect<KeptThing | null, MaterialUnreadable> =>
  Effect.suspend(() => {
    if (!existsSync(path)) return Effect.succeed(null)
    const problem = (error: unknown) => unreadable(part, codeOf(error))
    const size = Effect.try({ try: () => fileOf(path).size, catch: problem })
    const bytes = Effect.flatMap(size, (length) =>
      length > Limits.provenObjectBytes
        ? Effect.fail(unreadable(part, `an object has ${length} bytes`))
        : Effect.try({ try: () => readWhole(path, 0, length), catch: problem })
    )
    return Effect.flatMap(size, (length) =>
      length > atOnceBytes
        ? Effect.map(Effect.tryPromise({ try: () => sumOf(path), catch: problem }), (sha256) => ({ sha256, bytes }))
        : Effect.map(bytes, (whole) => ({ sha256: hash("sha256", whole), bytes: Effect.succeed(whole) }))
    )
  })
