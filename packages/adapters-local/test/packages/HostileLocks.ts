/** Locks that somebody wrote to do harm, each refused for one reason before anything is fetched. */
import { integrityOf } from "@pawl/testing/registry/Archives"

/** One way of doing harm by an entry of a package-lock.json. */
export interface HostileLock {
  /** What the entry has. */
  readonly title: string
  readonly code: string
  readonly place: string
  readonly fields: Readonly<Record<string, unknown>>
}

const sha = (algorithm: string) => integrityOf(Buffer.from("any"), algorithm)
const entry = (fields: Readonly<Record<string, unknown>>) => ({ version: "1.0.0", integrity: sha("sha512"), ...fields })
const good = "node_modules/good"

const rows: ReadonlyArray<readonly [title: string, code: string, place: string, fields: HostileLock["fields"]]> = [
  ["no integrity", "integrity_missing", good, { version: "1.0.0" }],
  ["an empty integrity", "integrity_missing", good, entry({ integrity: "" })],
  ["sha1 alone", "integrity_weak", good, entry({ integrity: sha("sha1") })],
  ["md5 alone", "integrity_weak", good, entry({ integrity: sha("md5") })],
  ["an algorithm that nobody knows", "integrity_weak", good, entry({ integrity: "crc32-AAAA" })],
  ["an integrity that is cut off", "integrity_malformed", good, entry({ integrity: sha("sha512").slice(0, 40) })],
  ["an integrity that is a path", "integrity_malformed", good, entry({ integrity: "sha512-../../../etc" })],
  ["an integrity that is no text", "integrity_missing", good, entry({ integrity: ["sha512"] })],
  ["a name that climbs out", "package_name", good, entry({ name: "../good" })],
  ["a name that is a path", "package_name", good, entry({ name: "/etc/passwd" })],
  ["a name with a line end", "package_name", good, entry({ name: "good\n" })],
  ["a version that climbs out", "package_version", good, entry({ version: "1.0.0/../../x" })],
  ["a place that climbs out", "package_place", "node_modules/../../x", entry({})],
  ["a place within `..`", "package_place", "node_modules/a/../node_modules/x", entry({})],
  ["a place in a folder of another package", "package_place", "node_modules/a/lib", entry({})],
  ["a place that is hidden", "package_place", "node_modules/.bin", entry({})],
  ["a place that is the folder of packages itself", "package_place", "node_modules/node_modules", entry({})],
  ["a place of a prototype", "package_place", "node_modules/__proto__", entry({})],
  ["an absolute place", "package_source", "/etc/x", entry({})],
  ["a place among the source", "package_source", "src", entry({})],
  ["a link", "package_source", good, { link: true, resolved: "../../etc" }],
  ["a source in git", "package_source", good, entry({ resolved: "git+ssh://git@example.com/x.git#abc" })],
  ["a source that is a file", "package_source", good, entry({ resolved: "file:../../etc/passwd" })],
  ["a source anywhere on the web", "package_source", good, entry({ resolved: "https://example.com/x.zip" })],
  ["a source where clouds keep credentials", "package_source", good, entry({ resolved: "http://169.254.169.254/" })]
]

export const hostileLocks: ReadonlyArray<HostileLock> = rows.map(([title, code, place, fields]) => ({
  title,
  code,
  place,
  fields
}))
