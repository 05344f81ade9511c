/**
 * A backup: files in a folder, or objects in a bucket. What is in them is told by their SHA-256 digests, from
 * `manifest.sha256`, which `sha256sum -c` reads, over `manifest.json` to each table, list and object.
 *
 *   manifest.sha256                       written last: without it the backup was cut off
 *   manifest.json                         `Manifest`
 *   tables/<table>/<number>.ndjson        a row on each line, by the names of its columns
 *   lists/objects/<number>.ndjson         `ListedObject` on each line
 *   lists/repositories/<number>.ndjson    `ListedRepository` on each line, where repositories were folders
 *   objects/<two digits>/<sha256>         bytes: objects, and packs of repositories
 *   keys/<name>                           private keys, where they were asked for
 */
import { createHash } from "node:crypto"
import { isForkName, isObjectId, isProject } from "@pawl/adapters-local/repositories/RepositoryPath"
import { Schema } from "effect"

/** What is wrong with a backup, with where it is, or with where it goes. */
export class BackupUnusable extends Schema.TaggedError<BackupUnusable>()("BackupUnusable", {
  reason: Schema.String,
  /** A file of a backup is missing, or has other bytes than were written. */
  isDamage: Schema.optional(Schema.Boolean)
}) {
  override get message() {
    return this.reason
  }
}

/** Says so. */
export const unusable = (reason: string): BackupUnusable => new BackupUnusable({ reason })

/** Says which file of a backup is not as it was written. */
export const damaged = (reason: string): BackupUnusable => new BackupUnusable({ reason, isDamage: true })

/** What `manifest.json` begins with. */
export const formatName = "pawl-backup"
/** Of what is described above. Another one is another format. */
export const formatVersion = 1

/** What becomes a name of a file, or an argument of git's, is of the one form that it may have. */
const textThat = (is: (text: string) => boolean, what: string) =>
  Schema.String.check(Schema.makeFilter((text: string) => is(text) || `it is not ${what}`))

const Digest = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** What a backup holds. */
export const Manifest = Schema.Struct({
  format: Schema.Literal(formatName),
  formatVersion: Schema.Int,
  /** The version of the program that made it. */
  pawl: Schema.String,
  /** How far the database's shape was: a number of expansions. */
  shape: Count,
  /** The moment of the rows, by the store's clock. */
  at: Schema.String,
  /** How repositories were kept. */
  repositories: Schema.Literals(["folder", "packs"]),
  /** Tables, lists and keys by their names, with the digests of their bytes. */
  files: Schema.Record(Schema.String, Digest),
  counts: Schema.Struct({ rows: Count, objects: Count, objectBytes: Count, repositories: Count })
})
/** What `manifest.json` says. */
export interface Manifest extends Schema.Schema.Type<typeof Manifest> {}

/** Whether a manifest may name a file so: as above, and never one outside of the backup. */
export const isFileName = (name: string): boolean => /^[a-z]+(\/[a-z0-9_-]+)+(\.ndjson)?$/.test(name)

/** An object by its key. Its bytes are found by their digest. */
export const ListedObject = Schema.Struct({ key: Schema.String, sha256: Digest, sizeBytes: Count })
/** A line of `lists/objects`. */
export interface ListedObject extends Schema.Schema.Type<typeof ListedObject> {}

/** Commits, and a pack with what they need: by its digest among the objects; null when there are none. */
const Commits = Schema.Struct({
  commits: Schema.Array(textThat(isObjectId, "the id of a commit")),
  pack: Schema.NullOr(Digest),
  objects: Count
})

/** A repository that was a folder. */
export const ListedRepository = Schema.Struct({
  project: textThat(isProject, "the id of a Project"),
  /** Null for canonical, which stands before its forks. */
  fork: Schema.NullOr(textThat(isForkName, "the name of a fork")),
  ...Commits.fields,
  statements: Commits
})
/** A line of `lists/repositories`. */
export interface ListedRepository extends Schema.Schema.Type<typeof ListedRepository> {}

/** SHA-256, in hex. */
export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Where the bytes of a digest are. */
export const objectName = (digest: string): string => `objects/${digest.slice(0, 2)}/${digest}`

/** The names of the files that are read first. */
export const manifestName = "manifest.json"
/** The digest of the manifest, as `sha256sum` writes it. */
export const manifestDigestName = "manifest.sha256"
