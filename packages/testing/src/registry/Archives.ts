/**
 * Makes archives of packages, also those that no tool would make: each header is written by hand, so that its name, type,
 * size and mode say whatever a test wants.
 */
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"

/** One header and its content, as they stand in an archive. */
export interface ArchiveEntry {
  /** The whole name, with the package's folder: `package/index.js`. Bytes for a name that is no text. */
  readonly name: string | Uint8Array
  readonly content?: string | Uint8Array
  /** The letter of its kind; default "0", a file. */
  readonly type?: string
  /** Default 0o644. */
  readonly mode?: number
  /** What the header says; default the content's length. Bytes to write the field by hand. */
  readonly size?: number | Uint8Array
  /** What a link leads to. */
  readonly linkName?: string
  /** What is put before the name, as in ustar. */
  readonly prefix?: string
  /** A checksum that is wrong by so much. */
  readonly checksumOff?: number
}

const bytesOf = (value: string | Uint8Array): Buffer =>
  typeof value === "string" ? Buffer.from(value) : Buffer.from(value)

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`

/** The 512 bytes of a header. */
const headerOf = (entry: ArchiveEntry, contentLength: number): Buffer => {
  const header = Buffer.alloc(512)
  bytesOf(entry.name).copy(header, 0, 0, 100)
  header.write(octal(entry.mode ?? 0o644, 8), 100, "latin1")
  header.write(octal(0, 8) + octal(0, 8), 108, "latin1")
  if (entry.size instanceof Uint8Array) Buffer.from(entry.size).copy(header, 124, 0, 12)
  else header.write(octal(entry.size ?? contentLength, 12), 124, "latin1")
  header.write(octal(0, 12), 136, "latin1")
  header.write("        ", 148, "latin1")
  header.write(entry.type ?? "0", 156, "latin1")
  header.write(entry.linkName ?? "", 157, 100, "utf8")
  header.write("ustar\u000000", 257, "latin1")
  header.write(entry.prefix ?? "", 345, 155, "utf8")
  const sum = header.reduce((all, byte) => all + byte, 0) + (entry.checksumOff ?? 0)
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1")
  return header
}

/** An entry with its content, filled up to whole blocks. */
export const blocksOf = (entry: ArchiveEntry): Buffer => {
  const content = bytesOf(entry.content ?? "")
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512)
  return Buffer.concat([headerOf(entry, content.length), content, padding])
}

/** The two empty blocks that end an archive. */
export const archiveEnd = Buffer.alloc(1024)

/** An archive that is not packed yet. */
export const tarOf = (entries: ReadonlyArray<ArchiveEntry>): Buffer =>
  Buffer.concat([...entries.map(blocksOf), archiveEnd])

/** An archive, packed. */
export const tgzOf = (entries: ReadonlyArray<ArchiveEntry>): Buffer => gzipSync(tarOf(entries), { level: 1 })

/** A pax record; its length counts itself. */
const paxRecord = (key: string, value: string): string => {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  let length = rest
  while (length !== rest + String(length).length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}

/** A pax header for the entry after it; with type "g" for all that follow. */
export const paxEntry = (records: Readonly<Record<string, string>>, type: "x" | "g" = "x"): ArchiveEntry => ({
  name: "PaxHeader",
  type,
  content: Object.entries(records)
    .map(([key, value]) => paxRecord(key, value))
    .join("")
})

/** A GNU header with the long name of the entry after it. */
export const longNameEntry = (name: string): ArchiveEntry => ({
  name: "././@LongLink",
  type: "L",
  content: `${name}\0`
})

/** Files of an ordinary package, by path below its folder, with a package.json that has its name and version. */
export const packageEntries = (
  name: string,
  version: string,
  files: Readonly<Record<string, string>> = {},
  manifest: Readonly<Record<string, unknown>> = {}
): ReadonlyArray<ArchiveEntry> => [
  { name: "package/package.json", content: JSON.stringify({ name, version, ...manifest }) },
  ...Object.entries(files).map(([path, content]) => ({ name: `package/${path}`, content }))
]

/** What npm writes into lock files: `sha512-<base64>`, or that of another algorithm. */
export const integrityOf = (bytes: Uint8Array, algorithm = "sha512"): string =>
  `${algorithm}-${createHash(algorithm).update(bytes).digest("base64")}`
