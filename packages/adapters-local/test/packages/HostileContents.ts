/** Archives that harm by how they are packed, or by what their package.json says. */
import { gzipSync, zstdCompressSync } from "node:zlib"
import { archiveEnd, blocksOf, packageEntries, paxEntry, tarOf, tgzOf } from "@pawl/testing/registry/Archives"
import type { HostileArchive } from "./HostileArchives.ts"

const manifest = (name: string) => packageEntries(name, "1.0.0")
const evil = (name: string, ...entries: Parameters<typeof tgzOf>[0]) => tgzOf([...manifest(name), ...entries])

/** An archive whose package.json has this text. */
const describedBy = (content: string) => tgzOf([{ name: "package/package.json", content }])

/** Packed a piece at a time: what unpacks to gigabytes takes neither memory nor time to make. */
const repeated = (head: Uint8Array, piece: Uint8Array, times: number) => {
  const packed = gzipSync(piece)
  return Buffer.concat([gzipSync(head), ...Array.from({ length: times }, () => packed)])
}

/** What unpacks to more than fits: each takes a second. */
export const archiveBombs: ReadonlyArray<HostileArchive> = [
  {
    title: "with gigabytes where nothing is kept",
    archive: (name) =>
      repeated(
        Buffer.concat(manifest(name).map(blocksOf)),
        blocksOf({ name: "package/.git/objects", content: Buffer.alloc(8 * 1024 * 1024) }),
        300
      ),
    code: "package_too_big",
    says: /unpacks to more than/
  },
  {
    title: "with a million empty files",
    archive: (name) => {
      const many = Array.from({ length: 1000 }, (_, at) => blocksOf({ name: `package/${at}` }))
      return repeated(Buffer.concat(manifest(name).map(blocksOf)), Buffer.concat(many), 1000)
    },
    code: "package_too_big",
    says: /more than 80000 entries/
  },
  {
    title: "with a million headers and no file",
    archive: (name) => {
      const many = Array.from({ length: 1000 }, () => blocksOf(paxEntry({ path: "package/x" })))
      return repeated(Buffer.concat(manifest(name).map(blocksOf)), Buffer.concat(many), 500)
    },
    code: "package_too_big",
    says: /more than 80000 entries/
  },
  {
    title: "with files that come to gigabytes together",
    archive: (name) =>
      repeated(
        Buffer.concat(manifest(name).map(blocksOf)),
        blocksOf({ name: "package/same", content: Buffer.alloc(8 * 1024 * 1024) }),
        300
      ),
    code: "package_too_big",
    says: /unpacks to more than/
  }
]

/** Archives that are wrapped in another way than npm does it. */
export const wrappings: ReadonlyArray<HostileArchive> = [
  { title: "that is no archive but a page", archive: () => Buffer.from("<!doctype html>"), says: /not a whole gzip/ },
  { title: "that is empty", archive: () => new Uint8Array(), says: /archive cannot be|no package.json/ },
  { title: "that is a packed nothing", archive: () => gzipSync(""), says: /cannot be read|no package.json/ },
  {
    title: "that is a packed page",
    archive: () => gzipSync(`<!doctype html>${" ".repeat(2000)}`),
    says: /cannot be read/
  },
  { title: "that is packed twice", archive: (name) => gzipSync(evil(name)), says: /packed twice/ },
  {
    title: "that is packed once more in another way",
    archive: (name) => gzipSync(zstdCompressSync(tarOf(manifest(name)))),
    says: /packed twice/
  },
  { title: "that is not packed at all", archive: (name) => tarOf(manifest(name)), says: /not a whole gzip/ },
  {
    title: "that is cut off",
    archive: (name) => gzipSync(Buffer.concat(manifest(name).map(blocksOf))).subarray(0, 60),
    says: /not a whole gzip/
  },
  { title: "that has an end and nothing before it", archive: () => gzipSync(archiveEnd), says: /no package.json/ }
]

/** Archives whose package.json is not one of their package. */
export const manifests: ReadonlyArray<HostileArchive> = [
  {
    title: "without a package.json",
    archive: () => tgzOf([{ name: "package/index.js" }]),
    says: /has no package.json/
  },
  {
    title: "whose package.json is a folder",
    archive: () => tgzOf([{ name: "package/package.json", type: "5" }]),
    says: /has no package.json/
  },
  ...(
    [
      ["whose package.json is no JSON", "{name:'evil'}", /is not JSON/],
      ["whose package.json is a list", `[{"name":"evil","version":"1.0.0"}]`, /is not an object/],
      ["whose package.json is null", "null", /is not an object/],
      ["whose package.json goes deep", `{"x":${"[".repeat(100_000)}`, /goes deeper than 100/],
      ["whose package.json is a book", JSON.stringify({ x: "x".repeat(5_000_000) }), /is over \d+ bytes/],
      ["of another package", JSON.stringify({ name: "good", version: "1.0.0" }), /another name than the lock/],
      [
        "of another version",
        (name: string) => JSON.stringify({ name, version: "1.0.1" }),
        /another version than the lock/
      ],
      ["with no name", JSON.stringify({ version: "1.0.0" }), /another name than the lock/],
      [
        "with a name that is no text",
        JSON.stringify({ name: { toString: "evil" }, version: "1.0.0" }),
        /another name than the lock/
      ],
      [
        "with a name by its prototype alone",
        `{"__proto__":{"name":"evil"},"version":"1.0.0"}`,
        /another name than the lock/
      ]
    ] as const
  ).map(([title, text, says]) => ({
    title,
    archive: (name: string) => describedBy(typeof text === "string" ? text : text(name)),
    code: "package_not_as_locked",
    says
  })),
  {
    title: "with two package.json of which the one that counts lies",
    archive: (name) =>
      evil(name, { name: "other/package.json", content: JSON.stringify({ name: "good", version: "1.0.0" }) }),
    code: "package_not_as_locked",
    says: /another name than the lock/
  }
]
