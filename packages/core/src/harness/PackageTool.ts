/**
 * The tool that adds a package: package.json is edited by a pure function, and the lock is made for it at once, so that
 * checks see the package. A registry that is away holds up nothing: the lock is then made when the work is composed.
 */
import { Effect, Option, Result, Schema } from "effect"
import { heldAt, type Overlay, written } from "../agent/Overlay.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { addPackage, type AddedPackage } from "../packages/ManifestEdit.ts"
import { owedLock, type PackageSide } from "../packages/OwedLock.ts"
import { PackageStore } from "../packages/PackageStore.ts"
import { utf8 } from "../primitives/Digest.ts"
import { wordsOf } from "../primitives/Words.ts"
import type { Workplace } from "./Workplace.ts"

declare const TextDecoder: { new (): { decode(bytes: Uint8Array): string } }

/** What came of it, without the lock, which lies in the store of objects. */
export const Locked = Schema.Struct({
  text: Schema.String,
  failed: Schema.Boolean,
  /** Where the lock lies; null where none was made. */
  lock: Schema.NullOr(Schema.String)
})
/** As it is kept. */
export type Locked = typeof Locked.Type

const manifestFile = "package.json"
const lockFile = "package-lock.json"
const pnpmFile = "pnpm-lock.yaml"

const bytesAt = (overlay: Overlay, path: string): Uint8Array | null => {
  const held = heldAt(overlay, path)
  if (held._tag === "Binary") return overlay.base.get(path) ?? null
  return held._tag === "Text" ? utf8(held.text) : null
}

const sideOf = (overlay: Overlay): PackageSide => ({
  manifest: bytesAt(overlay, manifestFile),
  lock: bytesAt(overlay, lockFile),
  pnpm: bytesAt(overlay, pnpmFile)
})

/** The package.json that is asked for, or why there can be none. */
const edited = (overlay: Overlay, added: AddedPackage): Result.Result<Uint8Array, string> =>
  bytesAt(overlay, pnpmFile) === null
    ? addPackage(bytesAt(overlay, manifestFile), added)
    : Result.fail(`${pnpmFile} is there, which only pnpm can write: a person adds packages here`)

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
  const owed = owedLock({ base: before, ours: before, theirs, manifest: manifest.success, lock: before.lock })
  const store = yield* Effect.serviceOption(PackageStore)
  const changed = `${added.name} is in package.json`
  if (owed === null || Option.isNone(store)) return { text: changed, failed: false, lock: null }
  const key = `context/${job.task.projectId}/${job.run.id}/${name}.lock.json`
  const made = yield* store.value.lock({ manifest: owed.manifest, locks: owed.locks, offline: false }).pipe(
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
  return { text: `${changed}, and its lock is made`, failed: false, lock: key }
})

/** The files with what was added. What an agent has read it has read. */
export const applied = Effect.fnUntraced(function* (overlay: Overlay, added: AddedPackage, { failed, lock }: Locked) {
  const manifest = edited(overlay, added)
  if (failed || Result.isFailure(manifest)) return overlay
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
  const next = written(overlay, manifestFile, text(manifest.success))
  if (lock === null) return { ...next, known: overlay.known }
  const bytes = yield* (yield* ObjectStore).get(lock)
  return { ...written(next, lockFile, text(bytes)), known: overlay.known }
})
