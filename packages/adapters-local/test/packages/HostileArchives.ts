/** Archives that somebody made to do harm, each refused for one reason. Their packages have the version 1.0.0. */
import { gzipSync } from "node:zlib"
import {
  type ArchiveEntry,
  longNameEntry,
  packageEntries,
  paxEntry,
  tarOf,
  tgzOf
} from "@pawl/testing/registry/Archives"
import { archiveBombs, manifests, wrappings } from "./HostileContents.ts"

/** One way of doing harm. */
export interface HostileArchive {
  /** As it goes on after "refuses an archive". */
  readonly title: string
  /** The archive of a package of this name. */
  readonly archive: (name: string) => Uint8Array
  /** The words for programs. Default `package_unsafe`. */
  readonly code?: string
  /** What the words for people say beside the package. */
  readonly says: RegExp
}

const manifest = (name: string) => packageEntries(name, "1.0.0")
const victim = { name: "package/victim", content: "owned" }
const evil = (name: string, ...entries: ReadonlyArray<ArchiveEntry>) => tgzOf([...manifest(name), ...entries])
const link = (name: string, linkName: string, type = "2"): ArchiveEntry => ({ name, type, linkName })

const links: ReadonlyArray<HostileArchive> = [
  {
    title: "with a symbolic link out of its folder",
    archive: (name) => evil(name, link("package/out", "../../../../etc")),
    says: /"package\/out".*symbolic link/
  },
  {
    title: "with a symbolic link to an absolute path",
    archive: (name) => evil(name, link("package/passwd", "/etc/passwd")),
    says: /symbolic link/
  },
  {
    title: "with a symbolic link within its folder",
    archive: (name) => evil(name, link("package/self", "package.json")),
    says: /symbolic link/
  },
  {
    title: "with a symbolic link and a file behind it",
    archive: (name) => evil(name, link("package/dir", "/tmp"), { name: "package/dir/pawned", content: "x" }),
    says: /symbolic link/
  },
  {
    title: "with a hard link to a file of the machine",
    archive: (name) => evil(name, link("package/shadow", "/etc/shadow", "1")),
    says: /hard link/
  },
  {
    title: "with a hard link within its folder",
    archive: (name) => evil(name, link("package/again", "package/package.json", "1")),
    says: /hard link/
  },
  {
    title: "with a link in the package.json's place",
    archive: () => tgzOf([link("package/package.json", "/etc/passwd")]),
    says: /symbolic link/
  },
  {
    title: "that hides where a link leads in a GNU header",
    archive: (name) => evil(name, { ...longNameEntry("/etc/passwd"), type: "K" }, link("package/far", "x")),
    says: /symbolic link/
  }
]

type Row = readonly [title: string, archive: HostileArchive["archive"], says: RegExp]

const rows: ReadonlyArray<Row> = [
  ["that climbs out by `..`", (name) => evil(name, { name: "package/../../victim" }), /leaves the package's folder/],
  [
    "that climbs out by `..` at the end of a name",
    (name) => evil(name, { name: "package/lib/.." }),
    /leaves the package's folder/
  ],
  ["whose first folder is `..`", (name) => evil(name, { name: "../victim" }), /leaves the package's folder/],
  [
    "whose folder climbs out",
    (name) => evil(name, { name: "package/../../victim/", type: "5" }),
    /leaves the package's folder/
  ],
  [
    "that climbs out by its ustar prefix",
    (name) => evil(name, { name: "victim", prefix: "package/../../.." }),
    /leaves the package's folder/
  ],
  [
    "that climbs out by pax",
    (name) => evil(name, paxEntry({ path: "package/../../victim" }), victim),
    /leaves the package's folder/
  ],
  [
    "that climbs out by a GNU long name",
    (name) => evil(name, longNameEntry("package/../../victim"), victim),
    /leaves the package/
  ],
  ["with an absolute name", (name) => evil(name, { name: "/etc/cron.d/victim" }), /absolute name/],
  [
    "with an absolute name by its ustar prefix",
    (name) => evil(name, { name: "victim", prefix: "/etc/cron.d" }),
    /absolute name/
  ],
  [
    "with an absolute name by pax",
    (name) => evil(name, paxEntry({ path: "/etc/cron.d/victim" }), victim),
    /absolute name/
  ],
  ["with an absolute name by GNU", (name) => evil(name, longNameEntry("//etc/cron.d/victim"), victim), /absolute name/],
  ["with the folders of another system", (name) => evil(name, { name: "package\\..\\..\\victim" }), /backslash/],
  ["with a backslash inside a name", (name) => evil(name, { name: "package/lib\\victim.js" }), /backslash/],
  ["with a line end in a name", (name) => evil(name, { name: "package/a\nb" }), /control character/],
  [
    "with a sequence for terminals in a name",
    (name) => evil(name, { name: "package/\u001b[2Jx" }),
    /control character.*|\\u001b/
  ],
  ["with an invisible control in a name", (name) => evil(name, { name: "package/a\u0085b" }), /control character/],
  [
    "with a part of a name that no file system takes",
    (name) => evil(name, longNameEntry(`package/${"x".repeat(256)}`), victim),
    /over 255 bytes/
  ],
  [
    "with a part of a name that is too long in bytes alone",
    (name) => evil(name, longNameEntry(`package/${"ü".repeat(128)}`), victim),
    /over 255 bytes/
  ],
  [
    "with a path that no file system takes",
    (name) => evil(name, longNameEntry(`package/${"folder/".repeat(200)}`), victim),
    /over 1024 bytes/
  ],
  [
    "with two names that differ in case",
    (name) => evil(name, { name: "package/Index.js" }, { name: "package/index.js" }),
    /one file/
  ],
  [
    "with two names that differ in how a letter is composed",
    (name) => evil(name, { name: "package/\u00e9.js" }, { name: "package/e\u0301.js" }),
    /one file elsewhere/
  ],
  [
    "with two names that are one when case is folded in full",
    (name) => evil(name, { name: "package/stra\u00dfe.js" }, { name: "package/STRASSE.js" }),
    /one file elsewhere/
  ],
  [
    "with two names of which one has the sign for kelvin",
    (name) => evil(name, { name: "package/\u212a.js" }, { name: "package/k.js" }),
    /one file elsewhere/
  ],
  [
    "with a package.json in other case beside it",
    (name) => evil(name, { name: "package/Package.JSON" }),
    /one file elsewhere/
  ],
  [
    "with a file where a folder is",
    (name) => evil(name, { name: "package/a/b" }, { name: "package/a" }),
    /file and as a folder/
  ],
  [
    "with a folder below a file",
    (name) => evil(name, { name: "package/a" }, { name: "package/a/b" }),
    /file and as a folder/
  ],
  [
    "with a folder that is a file but for its case",
    (name) => evil(name, { name: "package/Lib/b" }, { name: "package/lib" }),
    /file and as a folder/
  ],
  [
    "that brings a package that it does not name",
    (name) => evil(name, { name: "package/node_modules/react/index.js" }),
    /does not name as bundled/
  ]
]
const names: ReadonlyArray<HostileArchive> = rows.map(([title, archive, says]) => ({ title, archive, says }))

const kinds: ReadonlyArray<HostileArchive> = (
  [
    ["with a character device", "3", /is a device/],
    ["with a block device", "4", /is a device/],
    ["with a pipe", "6", /is a pipe/],
    ["with a contiguous file", "7", /contiguous/],
    ["with a sparse file of GNU", "S", /neither a file nor a folder/],
    ["with a dump of a folder", "D", /dump/],
    ["that goes on from another volume", "M", /neither a file nor a folder/],
    ["with the label of a volume", "V", /neither a file nor a folder/],
    ["with a kind that nobody knows", "Z", /neither a file nor a folder/],
    ["with a file of Solaris's lists of rights", "A", /neither a file nor a folder/]
  ] as const
).map(([title, type, says]) => ({ title, archive: (name) => evil(name, { ...victim, type }), says }))

/** Base-256, as GNU writes what octal digits cannot hold. */
const largeSize = (first: number) => {
  const field = Buffer.alloc(12)
  field[0] = first
  field.writeUInt32BE(0x40, 4)
  if (first === 0xff) field.fill(0xff, 1)
  return field
}

const sizes: ReadonlyArray<HostileArchive> = [
  {
    title: "with a sparse file of pax",
    archive: (name) => evil(name, paxEntry({ "GNU.sparse.major": "1", "GNU.sparse.realsize": "999999999999" }), victim),
    says: /sparse file/
  },
  {
    title: "with a file that says it has terabytes",
    archive: (name) => evil(name, { ...victim, size: largeSize(0x80) }),
    code: "package_too_big",
    says: /has the entry "package\/victim" of \d+ bytes/
  },
  {
    title: "with a file of endless size by pax",
    archive: (name) => evil(name, paxEntry({ size: "Infinity" }), victim),
    says: /no size that a file can have/
  },
  {
    title: "with a file of half a byte by pax",
    archive: (name) => evil(name, paxEntry({ size: "0.5" }), victim),
    says: /no size that a file can have/
  },
  {
    title: "whose pax header makes a file longer than the archive",
    archive: (name) => evil(name, paxEntry({ size: "100000" }), victim),
    says: /cannot be read/
  },
  {
    title: "that ends in the middle of a file",
    archive: (name) => gzipSync(tarOf([...manifest(name), { ...victim, content: "x".repeat(5000) }]).subarray(0, 3000)),
    says: /cannot be read/
  },
  {
    title: "whose header has another checksum",
    archive: (name) => evil(name, { ...victim, checksumOff: 1 }),
    says: /cannot be read/
  },
  {
    title: "with a pax header of a megabyte",
    archive: (name) => evil(name, paxEntry({ comment: "x".repeat(1_000_000) }), victim),
    says: /says more about itself than is read/
  }
]

/** All of them. */
export const hostileArchives: ReadonlyArray<HostileArchive> = [
  ...links,
  ...names,
  ...kinds,
  ...sizes,
  ...archiveBombs,
  ...wrappings,
  ...manifests
]
