/** Machines over one store, under a folder that goes away, with a clock that stands still until it is told. */
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, References, type Scope } from "effect"
import { TestClock } from "effect/testing"
import type { ObjectStore } from "@pawl/core/objects/ObjectStore"
import type { PackLog } from "@pawl/core/project/PackLog"
import { Repositories } from "@pawl/core/project/Repositories"
import * as FileObjectStore from "@pawl/adapters-local/objects/FileObjectStore"
import { parts as gitParts } from "@pawl/adapters-local/repositories/GitRepositories"
import * as CacheFolder from "@pawl/adapters-local/repositories/packs/CacheFolder"
import type { CopyParts } from "@pawl/adapters-local/repositories/packs/Copies"
import * as PackSource from "@pawl/adapters-local/repositories/packs/PackSource"
import { GitPlace } from "@pawl/adapters-local/repositories/GitPlace"
import { signature } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { layerFresh } from "../../sqlite/SqliteFixture.ts"
import { machine } from "./Machines.ts"

type Service = typeof Repositories.Service

export interface Machine {
  readonly git: Service
  /** Where its copies are. */
  readonly root: string
}

export interface World {
  /** Another machine, without any copies. */
  readonly machine: (cacheBytes?: number) => Effect.Effect<Machine, unknown, Scope.Scope | PackLog | ObjectStore>
}

/** Runs a program over stores of its own. */
export const run = <A, E>(program: (world: World) => Effect.Effect<A, E, Scope.Scope | PackLog | ObjectStore>) => {
  const folder = mkdtempSync(join(tmpdir(), "packs-"))
  let count = 0
  const world: World = {
    machine: (cacheBytes) =>
      Effect.map(machine(join(folder, `cache-${count++}`), cacheBytes), (ports) => ({
        git: Context.get(ports, Repositories),
        root: Context.get(ports, GitPlace).root
      }))
  }
  const stores = Layer.merge(layerFresh, FileObjectStore.layer({ directory: join(folder, "objects"), alone: true }))
  return Effect.runPromise(
    Effect.scoped(Effect.provide(program(world), stores)).pipe(
      Effect.provide(TestClock.layer()),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
    )
  )
}

/** The parts that a machine is made of, with a folder of copies that goes with the scope. */
export const copyParts = Effect.gen(function* () {
  const folder = mkdtempSync(join(tmpdir(), "copies-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
  const root = yield* CacheFolder.open(folder)
  const git = yield* gitParts(root, { keeping: "passing", rollsUp: false, shared: false })
  const cache = CacheFolder.make({ root, maxBytes: 2 ** 30, readers: git.readers })
  const parts: CopyParts = { cache, readers: git.readers, source: yield* PackSource.make }
  return { git: git.repositories, parts }
})

/** The files below a folder. */
export const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)

let lost = 0
/** Takes a machine's copies away, whoever works in them. */
export const loseCopies = ({ root }: Machine): void => {
  const aside = `${root}-lost-${lost++}`
  renameSync(root, aside)
}

/** Moves main on by one commit, made in a fork. */
export const step = Effect.fnUntraced(function* (
  git: Service,
  { at, fork, project }: { readonly project: string; readonly fork: string; readonly at: string },
  edits: Readonly<Record<string, string>>
) {
  const into = { project, fork }
  yield* git.fork(into)
  const made = yield* git.commit({ into, base: at, edits, message: "step", signature })
  yield* git.advance({ project, from: into, expected: at, commit: made.commit })
  return made
})
