/**
 * The tool that adds a package: package.json is edited by a pure function, and the lock is made for it at once, so that
 * checks see the package. A registry that is away holds up nothing: the lock is then made when the work is composed.
 */
import { Effect, Option, Result, Schema } from "effect"
import { heldAt, type Overlay, written } from "../agent/Overlay.ts"
import { vendoredNames } from "../bundle/AppBuilder.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { addPackage, type AddedPackage } from "../packages/ManifestEdit.ts"
import { lockFiles, owedLock, type PackageSide } from "../packages/OwedLock.ts"
import { PackageStore } from "../packages/PackageStore.ts"
import { utf8 } from "../primitives/Digest.ts"
import { textOf } from "../primitives/Utf8.ts"
import { wordsOf } from "../primitives/Words.ts"
import type { Workplace } from "./Workplace.ts"

/** What came of it, without the lock, which lies in the store of objects. */
export const Locked = Schema.Struct({
  text: Schema.String,
  failed: Schema.Boolean,
  /** Where the lock lies; null where none was made. */
  lock: Schema.NullOr(Schema.String),
  /** Its name in the source; nothing where it is npm's. */
  file: Schema.optional(Schema.String)
})
/** As it is kept. */
export type Locked = typeof Locked.Type

const manifestFile = "package.json"
const workspaceFile = "pnpm-workspace.yaml"

const bytesAt = (overlay: Overlay, path: string): Uint8Array | null => {
  const held = heldAt(overlay, path)
  if (held._tag === "Binary") return overlay.base.get(path) ?? null
  return held._tag === "Text" ? utf8(held.text) : null
}

const sideOf = (overlay: Overlay): PackageSide => ({
  manifest: bytesAt(overlay, manifestFile),
  lock: bytesAt(overlay, lockFiles.npm),
  pnpm: bytesAt(overlay, lockFiles.pnpm)
})

/** The package.json that is asked for, or why there can be none. */
const edited = (overlay: Overlay, added: AddedPackage): Result.Result<Uint8Array, string> =>
  addPackage(bytesAt(overlay, manifestFile), added)

const refused = (text: string): Locked => ({ text, failed: true, lock: null })

/** Makes the lock, where one is owed. `name` is that of the call. */
export const locked = Effect.fnUntraced(function* (
  { job }: Workplace,
  overlay: Overlay,
  added: AddedPackage,
  name: string
): Effect.fn.Return<Locked, Effect.Error<ReturnType<ObjectStore["Service"]["put"]>>, ObjectStore> {
  const manifest = edited(overlay, added)
  if (Result.isFailure(manifest)) return refused(manifest.failure)
  const before = sideOf(overlay)
  const theirs = { ...before, manifest: manifest.success }
  const lock = before.lock ?? before.pnpm
  const merge = { base: before, ours: before, theirs, manifest: manifest.success, lock }
  const owed = owedLock(merge, yield* vendoredNames)
  const store = yield* Effect.serviceOption(PackageStore)
  const changed = `${added.name} is in package.json`
  if (owed === null || Option.isNone(store)) return { text: changed, failed: false, lock: null }
  const key = `context/${job.task.projectId}/${job.run.id}/${name}.lock.json`
  const { format, locks } = owed
  const workspace = format === "pnpm" ? bytesAt(overlay, workspaceFile) : null
  const made = yield* store.value.lock({ format, manifest: owed.manifest, locks, workspace, offline: false }).pipe(
    Effect.map((bytes) => ({ bytes })),
    Effect.catchTags({
      PackagesRefused: (problem) => Effect.succeed(refused(`nothing was changed: ${wordsOf(problem)}`)),
      PackagesUnavailable: () =>
        Effect.succeed<Locked>({
          text: `${changed}. The registry is away now: the lock is made when your work is composed. Until then, checks that need packages cannot run: go on without them.`,
          failed: false,
          lock: null
        })
    })
  )
  if (!("bytes" in made)) return made
  yield* (yield* ObjectStore).put(key, made.bytes)
  const file = format === "npm" ? {} : { file: lockFiles[format] }
  return { text: `${changed}, and its lock is made`, failed: false, lock: key, ...file }
})

/** The files with what was added. What an agent has read it has read. */
export const applied = Effect.fnUntraced(function* (overlay: Overlay, added: AddedPackage, made: Locked) {
  const manifest = edited(overlay, added)
  const { failed, file = lockFiles.npm, lock } = made
  if (failed || Result.isFailure(manifest)) return overlay
  const next = written(overlay, manifestFile, textOf(manifest.success))
  if (lock === null) return { ...next, known: overlay.known }
  const bytes = yield* (yield* ObjectStore).get(lock)
  return { ...written(next, file, textOf(bytes)), known: overlay.known }
})
