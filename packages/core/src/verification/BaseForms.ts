/** What a Candidate's tree makes of its base's files, and its files with some of them in the base's form. */
import { Effect } from "effect"
import type { FileChange } from "../model/ChangeSet.ts"
import { compareCodePoints } from "../primitives/CodePoints.ts"
import { utf8 } from "../primitives/Digest.ts"
import { candidateFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { fitsGlob } from "../project/Globs.ts"
import { packageFile, withScripts } from "../project/PackageScripts.ts"
import { Repositories, type RepositoryRef } from "../project/Repositories.ts"
import type { Composed } from "./Checks.ts"
import type { BaseForm, Check } from "../model/Plan.ts"
import type { SandboxJob } from "./Sandbox.ts"
import { textOf } from "../primitives/Utf8.ts"

/** Files by path. Only with `list`, which names each blob: a diff may be too large to be read. */
const filesOf = (ref: RepositoryRef, tree: string) =>
  Effect.map(
    Effect.flatMap(Repositories, (repositories) => repositories.list(ref, tree)),
    (entries) => new Map(entries.filter(({ type }) => type === "file").map((entry) => [entry.path, entry]))
  )

/** Paths of one tree's files that the other has not, or not with the same content and mode. */
const differing = (
  from: Effect.Success<ReturnType<typeof filesOf>>,
  to: Effect.Success<ReturnType<typeof filesOf>>
): ReadonlyArray<string> =>
  [...from.values()]
    .filter(({ path, id, executable }) => {
      const other = to.get(path)
      return other === undefined || other.id !== id || other.executable !== executable
    })
    .map(({ path }) => path)

/** Files of the base that a tree alters or has no more (`altered`), and those that it alters or adds (`brought`). */
export const changedFiles = (ref: RepositoryRef, base: string, tree: string) =>
  Effect.map(Effect.all([filesOf(ref, base), filesOf(ref, tree)]), ([before, after]) => ({
    altered: differing(before, after),
    brought: differing(after, before)
  }))

/** What became of a file between two trees. */
export type ChangedFile = Pick<FileChange, "path" | "status">

/**
 * The files in which two trees differ, in path order; null where their diff is too large to be read. What is little is
 * told by the two listings, which are known already; of what is more the diff itself is asked for.
 */
export const changesBetween = Effect.fnUntraced(
  function* (ref: RepositoryRef, base: string, tree: string) {
    const [before, after] = yield* Effect.all([filesOf(ref, base), filesOf(ref, tree)], { concurrency: 2 })
    const altered = differing(before, after).map((path): ChangedFile => ({
      path,
      status: after.has(path) ? "modified" : "deleted"
    }))
    const added = [...after.keys()].flatMap((path): ReadonlyArray<ChangedFile> =>
      before.has(path) ? [] : [{ path, status: "added" }]
    )
    const found = [...altered, ...added].sort((one, other) => compareCodePoints(one.path, other.path))
    const sizeOf = ({ path }: ChangedFile) => (before.get(path)?.size ?? 0) + (after.get(path)?.size ?? 0)
    const bytes = found.reduce((sum, each) => sum + sizeOf(each), 0)
    if (found.length <= Limits.listedChanges && bytes <= Limits.listedChangeBytes) return found
    const diff = yield* (yield* Repositories).diff(ref, base, tree)
    return diff.map(({ path, status }): ChangedFile => ({ path, status }))
  },
  Effect.catchTag("TreeTooLarge", () => Effect.succeed(null))
)

const parentsOf = (path: string): ReadonlyArray<string> => {
  const parts = path.split("/")
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"))
}

/** Files with others put over them: where one needs a folder or is one by now, the one that is put there stays. */
const overlaid = (
  files: SandboxJob["files"],
  over: ReadonlyMap<string, { readonly content: Uint8Array; readonly executable: boolean }>
): SandboxJob["files"] => {
  const folders = new Set([...over.keys()].flatMap(parentsOf))
  const kept = [...files].filter(([path]) => !folders.has(path) && !parentsOf(path).some((parent) => over.has(parent)))
  return new Map([...kept, ...over])
}

/** Of some files those that a check sees: where it declares its inputs, exactly these. */
export const declared = ({ inputs }: Pick<Check, "inputs">, files: SandboxJob["files"]): SandboxJob["files"] =>
  inputs === undefined ? files : new Map([...files].filter(([path]) => inputs.some((glob) => fitsGlob(glob, path))))

/**
 * The composed tree as a check runs on it: with the base's form of its files where it is asked with that, and nothing but
 * its inputs where it declares them.
 */
export const filesFor = Effect.fnUntraced(function* (check: Check, composed: Composed) {
  const files = yield* composed.files
  const { base } = check
  if (base === undefined) return declared(check, files)
  const { baseTree, id, projectId } = composed.candidate
  const ref = { project: projectId, fork: candidateFork(id) }
  const repositories = yield* Repositories
  const before = yield* filesOf(ref, baseTree)
  const altered = differing(before, yield* filesOf(ref, composed.tree))
  const over = yield* Effect.forEach(
    altered.filter((path) => base.globs.some((glob) => fitsGlob(glob, path))),
    (path) =>
      Effect.map(
        repositories.read(ref, baseTree, path).pipe(Effect.catchTag("InvalidPath", Effect.die)),
        (content) => [path, { content, executable: before.get(path)?.executable === true }] as const
      ),
    { concurrency: Limits.fileReadsAtOnce }
  )
  return declared(check, inBaseForm(files, base, new Map(over)))
})

/** Files with some of the base's put over them, and with the scripts that a check runs in the base. */
export const inBaseForm = (
  files: SandboxJob["files"],
  base: BaseForm,
  over: SandboxJob["files"]
): SandboxJob["files"] => withBaseScripts(overlaid(files, over), base)

/** With the scripts that the check runs in the base, whatever the Candidate's package.json makes of them. */
const withBaseScripts = (files: SandboxJob["files"], { scripts }: BaseForm): SandboxJob["files"] => {
  if (scripts === undefined) return files
  const base = Object.fromEntries(scripts.map(({ command, name }) => [name, command]))
  const own = files.get(packageFile)
  const text = own === undefined ? "{}" : textOf(own.content)
  // What is no package.json has no scripts: then the base's are all that there is.
  const content = utf8(withScripts(text, base) ?? JSON.stringify({ scripts: base }))
  return new Map([...files, [packageFile, { content, executable: own?.executable === true }]])
}
