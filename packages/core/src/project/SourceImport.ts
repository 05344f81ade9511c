/** The first source of a Project, out of a git repository elsewhere: its files as they are now, without its history. */
import { Context, type Effect, Schema } from "effect"
import { Limits } from "../primitives/Limits.ts"
import { type RemoteHost, remoteHostOf } from "../model/RemoteUrl.ts"
import type { FileEdits, InvalidPath, TreeTooLarge } from "./Repositories.ts"

/** The source cannot be taken from there; the reason says why, and what to do. Asking again does not help. */
export class ImportRefused extends Schema.TaggedError<ImportRefused>()("ImportRefused", { reason: Schema.String }) {
  override get message() {
    return `The source cannot be imported: ${this.reason}`
  }
}

/** The other side does not answer, or not in time. Asking again may help. The reason holds nothing that it said. */
export class ImportUnavailable extends Schema.TaggedError<ImportUnavailable>()("ImportUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `The source cannot be imported now: ${this.reason}`
  }
}

/** A repository elsewhere. */
export const ImportOrigin = Schema.Struct({
  /** `https://host/path`, without credentials. */
  git: Schema.String,
  /** A branch or a tag; without it the branch that the repository shows first. */
  ref: Schema.optionalKey(Schema.String)
})
export interface ImportOrigin extends Schema.Schema.Type<typeof ImportOrigin> {}

/** What an import may fail with. */
export type ImportFault = ImportRefused | ImportUnavailable | InvalidPath | TreeTooLarge

/** What making a Project asks of another place. */
export interface SourceImportShape {
  /**
   * The files of a repository, text where they are UTF-8: those that may be a source, none left out. Fails with
   * `ImportRefused` for an address that is not allowed here, for what nobody may read and for links, submodules and
   * files that lie elsewhere, which it names.
   */
  readonly files: (origin: ImportOrigin) => Effect.Effect<FileEdits, ImportFault>
}

const refuse = (reason: string) => new ImportRefused({ reason })

/** Nothing is imported; `remedy` says how to change that. */
export const none = (remedy?: string): SourceImportShape => {
  const fact = "this installation imports from nowhere"
  return { files: () => refuse(remedy === undefined ? fact : `${fact}: ${remedy}`) }
}

/** Without one of its own a program imports nothing: every import is `ImportRefused`. */
export const SourceImport = Context.Reference("@pawl/core/project/SourceImport", { defaultValue: () => none() })

const loopback = /^(?:localhost|127\.0\.0\.1)(?::\d+)?$/

/** A host as the operator names it: `github.com`, or with a port that is not the usual one. Null: it is none. */
export const importHost = (text: string): string | null =>
  text.includes("/") ? null : (remoteHostOf(`https://${text}/x`)?.host ?? null)

const refName = /^[A-Za-z0-9_][\w./+-]*$/

/** Where an import is taken from, once it is judged; `hosts` are those that are allowed. */
export const judgedOrigin = ({ git, ref }: ImportOrigin, hosts: ReadonlyArray<string>): RemoteHost | ImportRefused => {
  const found = remoteHostOf(git)
  if (found === null) return refuse("name it as https://host/path, without a user, a password or a query")
  if (!hosts.includes(found.host))
    return refuse(
      `${found.host} is not among the hosts that sources are imported from (${hosts.join(", ")}); the operator may add it, or send the files of a clone`
    )
  if (found.url.startsWith("http:") && !loopback.test(found.host)) return refuse("use https")
  if (
    ref !== undefined &&
    (ref.length > Limits.importRefLength || !refName.test(ref) || /\.\.|\/\/|\/$|\.lock$/.test(ref))
  )
    return refuse("ref is no name of a branch or a tag")
  return found
}
