/**
 * Unpacks the archive of a package in memory. Its integrity says only that it is what the lock names: whoever published
 * it is hostile. Nothing is written here, and what is answered are regular files alone, by judged names, within bounds.
 */
import { createGunzip } from "node:zlib"
import { PackagesRefused } from "@pawl/core/packages/PackageStore"
import { short } from "@pawl/core/primitives/ShortText"
import { Effect, Result } from "effect"
import { Parser } from "tar/parse"
import type { ReadEntry } from "tar/read-entry"
import { LocalLimits } from "../LocalLimits.ts"
import { bringsPackages, type PackageManifest, readManifest } from "./TarballManifest.ts"
import { foldedName, folderOf, judgedName } from "./TarballName.ts"

/** One file of a package. */
export interface TarballFile {
  /** Below the package's folder, with slashes: `lib/index.js`. */
  readonly path: string
  readonly content: Uint8Array
  /** Whether anybody may run it. No other bit of its mode is kept. */
  readonly executable: boolean
}

/** A package, unpacked. */
export interface UnpackedPackage {
  /** Each path once, and none below another; in the order of the archive. */
  readonly files: ReadonlyArray<TarballFile>
  readonly manifest: PackageManifest
}

/** Whose archive it is, for sentences and to hold its package.json against. */
export interface ExpectedPackage {
  readonly name: string
  readonly version: string
}

/** A reason as words go on after "the archive of x@1.0.0". */
class Wrong extends Error {
  readonly code: string
  constructor(words: string, code = "package_unsafe") {
    super(words)
    this.code = code
  }
}

const tooBig = (words: string) => new Wrong(words, "package_too_big")

/** The name of an entry for a sentence: in quotes, with what does not print escaped, and not longer than is read. */
const told = (name: string): string => JSON.stringify(short(name)).replace(/[\u007f-\u009f\u2028-\u202e]/g, "?")

const wordsOfType: Readonly<Record<string, string>> = {
  Link: "is a hard link",
  SymbolicLink: "is a symbolic link",
  CharacterDevice: "is a device",
  BlockDevice: "is a device",
  FIFO: "is a pipe",
  ContiguousFile: "is a contiguous file",
  GNUDumpDir: "is a dump of a folder",
  SparseFile: "is a sparse file"
}

/** Files and folders as they are found, held against each other at the end. */
class Entries {
  readonly files = new Map<string, TarballFile>()
  /** What all of it may come to. */
  readonly maxBytes: number
  readonly #folders = new Set<string>()
  #count = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Each header counts, whatever it is for: an archive of nothing but headers ends too. */
  count(): void {
    if (++this.#count > LocalLimits.packageEntries) throw tooBig(`has more than ${LocalLimits.packageEntries} entries`)
  }

  folder(path: string | null): void {
    for (let each = path; each !== null && !this.#folders.has(each); each = folderOf(each)) this.#folders.add(each)
  }

  file(file: TarballFile): void {
    // The last of a name counts, as npm has it, and stands where the last stood.
    this.files.delete(file.path)
    this.files.set(file.path, file)
    this.folder(folderOf(file.path))
  }

  /** Refuses what cannot stand beside each other, here or where case and composition of letters do not count. */
  judge(): void {
    const folders = new Set([...this.#folders].map(foldedName))
    const seen = new Map<string, string>()
    for (const path of this.files.keys()) {
      const folded = foldedName(path)
      const other = seen.get(folded)
      if (other !== undefined) throw new Wrong(`has ${told(other)} and ${told(path)}, which are one file elsewhere`)
      if (folders.has(folded)) throw new Wrong(`has ${told(path)} as a file and as a folder`)
      seen.set(folded, path)
    }
  }
}

/** What of a package's own `node_modules` is refused: packages that it does not say it brings, which no lock knows. */
const undeclared = (path: string): boolean => path.startsWith("node_modules/")

const finished = (entries: Entries, expected: ExpectedPackage): UnpackedPackage => {
  entries.judge()
  const own = entries.files.get("package.json")
  if (own === undefined) throw new Wrong("has no package.json")
  const manifest = readManifest(own.content, expected)
  if (Result.isFailure(manifest))
    throw new Wrong(`is not what the lock says: its package.json ${manifest.failure}`, "package_not_as_locked")
  const files = [...entries.files.values()]
  const brought = bringsPackages(manifest.success) ? undefined : files.find(({ path }) => undeclared(path))
  if (brought !== undefined)
    throw new Wrong(`has ${told(brought.path)}, a package that its package.json does not name as bundled`)
  return { files, manifest: manifest.success }
}

/** Begins to take an entry. Its bytes come later. */
const taking = (entries: Entries, entry: ReadEntry): void => {
  entries.count()
  const refuse = (words: string) => new Wrong(`has the entry ${told(entry.path)}, which ${words}`)
  const { size } = entry
  const isFile = entry.type === "File" || entry.type === "OldFile"
  if (!isFile && entry.type !== "Directory") throw refuse(wordsOfType[entry.type] ?? "is neither a file nor a folder")
  if (!Number.isSafeInteger(size) || size < 0) throw refuse("has no size that a file can have")
  if (size > entries.maxBytes) throw tooBig(`has the entry ${told(entry.path)} of ${size} bytes`)
  const judged = judgedName(entry.path)
  if (Result.isFailure(judged)) throw refuse(judged.failure)
  const path = judged.success
  if (!isFile || path === null) {
    if (!isFile) entries.folder(path)
    entry.resume()
    return
  }
  const pieces: Array<Buffer> = []
  entry.on("data", (piece: Buffer) => void pieces.push(piece))
  entry.on("end", () => {
    const content = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
    if (content.length !== size) throw refuse("is cut off")
    entries.file({ path, content, executable: ((entry.mode ?? 0) & 0o111) !== 0 })
  })
}

/** Begins of compressed data that the parser would unpack once more, without our bounds. */
const isPackedAgain = (head: Buffer): boolean =>
  (head[0] === 0x1f && head[1] === 0x8b) || head.subarray(0, 4).equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]))

/** A parser that throws what is wrong out of its `write` and `end`, and calls `ended` at the archive's own end. */
const parserOf = (entries: Entries, ended: () => void): Parser => {
  const parser = new Parser({ strict: true, maxMetaEntrySize: LocalLimits.packageHeaderBytes })
  parser.on("entry", (entry: ReadEntry) => taking(entries, entry))
  parser.on("ignoredEntry", (entry: ReadEntry) => {
    const words = entry.meta ? "says more about itself than is read" : "is neither a file nor a folder"
    throw new Wrong(`has the entry ${told(entry.path)}, which ${words}`)
  })
  parser.on("meta", (text: string) => {
    entries.count()
    if (text.includes("GNU.sparse.")) throw new Wrong("has a sparse file")
  })
  parser.on("eof", ended)
  parser.on("error", (error: Error) => {
    throw new Wrong(`cannot be read: ${short(error.message)}`)
  })
  return parser
}

const refusal = ({ name, version }: ExpectedPackage, wrong: Wrong): PackagesRefused => {
  const message = `${name}@${version} cannot be used: its archive ${wrong.message}`
  return new PackagesRefused({ problems: [{ code: wrong.code, message, file: null, line: null }] })
}

/**
 * The files of a package's .tgz, as npm would lay them out, and its package.json; all of them, with their headers, come to
 * at most `maxBytes`. Fails with the one reason that was found first; the words name the package and the entry.
 */
export const unpack = (
  bytes: Uint8Array,
  expected: ExpectedPackage,
  maxBytes: number = LocalLimits.packageUnpackedBytes
): Effect.Effect<UnpackedPackage, PackagesRefused> =>
  Effect.callback<UnpackedPackage, PackagesRefused>((resume) => {
    const gunzip = createGunzip({ chunkSize: LocalLimits.packagePieceBytes })
    const entries = new Entries(maxBytes)
    let settled = false
    let unpacked = 0
    let head = true
    const settle = (work: () => UnpackedPackage): void => {
      if (settled) return
      settled = true
      gunzip.destroy()
      try {
        resume(Effect.succeed(work()))
      } catch (error) {
        resume(error instanceof Wrong ? Effect.fail(refusal(expected, error)) : Effect.die(error))
      }
    }
    const failed = (error: unknown) =>
      settle(() => {
        throw error
      })
    let atEnd = false
    const parser = parserOf(entries, () => {
      atEnd = true
    })
    gunzip.on("data", (piece: Buffer) => {
      if (settled) return
      try {
        unpacked += piece.length
        if (unpacked > maxBytes) throw tooBig(`unpacks to more than ${maxBytes} bytes`)
        if (head && isPackedAgain(piece)) throw new Wrong("is packed twice")
        head = false
        parser.write(piece)
        if (atEnd) settle(() => finished(entries, expected))
      } catch (error) {
        failed(error)
      }
    })
    gunzip.on("error", () => failed(new Wrong("cannot be read: it is not a whole gzip file")))
    gunzip.on("end", () => {
      if (settled) return
      try {
        parser.end()
        settle(() => finished(entries, expected))
      } catch (error) {
        failed(error)
      }
    })
    gunzip.end(bytes)
    return Effect.sync(() => {
      settled = true
      gunzip.destroy()
    })
  })
