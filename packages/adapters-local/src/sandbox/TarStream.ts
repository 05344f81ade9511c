/**
 * A tree as a tar stream, so that files enter a sandbox through a pipe and nothing of the host is mounted for them.
 * ustar headers; names over 100 bytes ride in a GNU `L` entry, which GNU tar, bsdtar and busybox all read.
 */
const block = 512
const nameBytes = 100
const encoder = new TextEncoder()

/** One regular file of the tree. */
export interface TarFile {
  readonly content: Uint8Array
  readonly executable: boolean
}

/** A relative path that stays inside its tree and that a file system can hold. */
export const isTreePath = (path: string): boolean =>
  path.length > 0 &&
  !path.includes("\0") &&
  path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..")

const octal = (value: number, width: number): string => value.toString(8).padStart(width - 1, "0") + "\0"

const header = (name: Uint8Array, sizeBytes: number, mode: number, type: string): Uint8Array => {
  const bytes = new Uint8Array(block)
  const put = (at: number, text: string) => bytes.set(encoder.encode(text), at)
  bytes.set(name.subarray(0, nameBytes), 0)
  put(100, octal(mode, 8))
  put(108, octal(0, 8))
  put(116, octal(0, 8))
  put(124, octal(sizeBytes, 12))
  put(136, octal(0, 12))
  put(148, " ".repeat(8))
  put(156, type)
  put(257, "ustar  \0")
  put(
    148,
    octal(
      bytes.reduce((sum, byte) => sum + byte, 0),
      7
    ) + " "
  )
  return bytes
}

function* padded(content: Uint8Array): Generator<Uint8Array> {
  if (content.length > 0) yield content
  const rest = (block - (content.length % block)) % block
  if (rest > 0) yield new Uint8Array(rest)
}

function* entry(path: string, mode: number, type: string, content: Uint8Array): Generator<Uint8Array> {
  const name = encoder.encode(path)
  if (name.length > nameBytes) {
    const long = encoder.encode(`${path}\0`)
    yield header(encoder.encode("././@LongLink"), long.length, 0o644, "L")
    yield* padded(long)
  }
  yield header(name, content.length, mode, type)
  yield* padded(content)
}

const none = new Uint8Array(0)

/** The stream: first the folders, then the files, then the two empty blocks that end an archive. */
export function* tarOf(folders: ReadonlyArray<string>, files: ReadonlyMap<string, TarFile>): Generator<Uint8Array> {
  for (const folder of folders) yield* entry(`${folder}/`, 0o755, "5", none)
  for (const [path, file] of files) yield* entry(path, file.executable ? 0o755 : 0o644, "0", file.content)
  yield new Uint8Array(2 * block)
}
