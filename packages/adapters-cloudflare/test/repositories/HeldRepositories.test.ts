import { MemoryLedger, MemoryObjectStore } from "@pawl/adapters-memory"
import { Limits } from "@pawl/core/primitives/Limits"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { PackLog } from "@pawl/core/project/PackLog"
import { type FileEdits, Repositories } from "@pawl/core/project/Repositories"
import { projectId, scene, signature, tagOf, textFiles } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { Context, Effect, Layer, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import { CloudflareLimits } from "@pawl/adapters-cloudflare/CloudflareLimits"
import { layer } from "@pawl/adapters-cloudflare/repositories/PackLogRepositories"

const stores = Layer.merge(MemoryLedger.layerMemory, MemoryObjectStore.layerMemory)

/** Some Workers over one log and one bucket. */
const world = Effect.gen(function* () {
  const built = yield* Layer.build(stores)
  const shared = Layer.succeedContext(built)
  const worker = Effect.map(Layer.build(Layer.fresh(Layer.provide(layer, shared))), (made) =>
    Context.get(made, Repositories)
  )
  return { worker, log: Context.get(built, PackLog), objects: Context.get(built, ObjectStore) }
})

const run = <A, E>(use: (parts: Effect.Success<typeof world>) => Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(world, use)))

/** A text that deflates to about its own size. */
const noise = (bytes: number, from: number): string => {
  let state = from
  let text = ""
  while (text.length < bytes) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    text += state.toString(36)
  }
  return text
}
const large: FileEdits = { big: noise(2 * CloudflareLimits.plainPackRowBytes, 1) }

describe("Repositories that are held in memory", () => {
  it("keep a large pack in the bucket, and a Worker that comes new reads it from there", () =>
    run(({ log, objects, worker }) =>
      Effect.gen(function* () {
        const { project, s0 } = yield* scene(yield* worker, projectId(1), large)
        const found = yield* log.since({ project }, null)
        expect(found?.packs.map(({ body }) => body)).toEqual([null])
        const keys = (yield* objects.list("git/")).map(({ key }) => key)
        expect(keys).toEqual([`${found?.packs[0]?.object}.pack`])
        expect(yield* textFiles(yield* worker, { project }, s0.tree)).toEqual(large)
      })
    ))

  it("say so when a pack is gone or has other bytes, and answer nothing of it", () =>
    run(({ objects, worker }) =>
      Effect.gen(function* () {
        const { project, s0 } = yield* scene(yield* worker, projectId(1), large)
        const [found] = yield* objects.list("git/")
        const bytes = yield* objects.get(found!.key)
        yield* objects.put(
          found!.key,
          bytes.map((byte, at) => (at === 100 ? byte ^ 1 : byte))
        )
        const other = yield* Effect.flip((yield* worker).files({ project }, s0.tree))
        expect(other).toMatchObject({ _tag: "RepositoriesUnavailable", reason: expect.stringContaining("other bytes") })
        yield* objects.remove(found!.key)
        expect(yield* tagOf((yield* worker).files({ project }, s0.tree))).toBe("RepositoriesUnavailable")
        yield* objects.put(found!.key, bytes)
        expect(yield* textFiles(yield* worker, { project }, s0.tree)).toEqual(large)
      })
    ))

  it("leave in the bucket no pack of a write that came too late", () =>
    run(({ log, objects, worker }) =>
      Effect.gen(function* () {
        const { edit, project, s0, ws } = yield* scene(yield* worker)
        const made = yield* Effect.forEach([1, 2, 3, 4], (n) =>
          edit(ws(n), s0.commit, { big: noise(2 * CloudflareLimits.plainPackRowBytes, n) })
        )
        const forks = (yield* objects.list("git/")).map(({ key }) => key)
        const ends = yield* Effect.forEach(
          made,
          ({ commit }, at) =>
            Effect.flatMap(worker, (each) =>
              Effect.result(each.advance({ project, from: ws(at + 1), expected: s0.commit, commit }))
            ),
          { concurrency: "unbounded" }
        )
        expect(ends.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
        const added = (yield* objects.list("git/")).map(({ key }) => key).filter((key) => !forks.includes(key))
        const named = (yield* log.since({ project }, null))?.packs.flatMap(({ object }) =>
          object === null ? [] : [object]
        )
        expect(added).toEqual(named?.map((object) => `${object}.pack`))
      })
    ))

  it("refuse what would make a repository too large to be held, and read on what is there", () =>
    run(({ worker }) =>
      Effect.gen(function* () {
        const repositories = yield* worker
        const { project, s0 } = yield* scene(repositories)
        const file = "x".repeat(Limits.sourceFileBytes - 1)
        const seed = (n: number) =>
          repositories.seed({
            project,
            files: Object.fromEntries(
              [1, 2, 3, 4, 5].map((at) => [`${at}`, `${file}${n * 5 + at}`.slice(-Limits.sourceFileBytes)])
            ),
            message: "",
            signature
          })
        let refused: unknown = null
        for (let n = 0; refused === null; n++) {
          const made = yield* Effect.result(seed(n))
          if (made._tag === "Failure") refused = made.failure
          expect(n * 5 * Limits.sourceFileBytes).toBeLessThan(2 * CloudflareLimits.repositoryBytes)
        }
        expect(refused).toMatchObject({
          _tag: "RepositoriesUnavailable",
          reason: expect.stringContaining(`more than ${CloudflareLimits.repositoryBytes} bytes`)
        })
        expect(yield* (yield* worker).main(project)).toEqual(s0)
      })
    ))

  it("work on many repositories, of which the longest unused are read anew", () =>
    run(({ worker }) =>
      Effect.gen(function* () {
        const repositories = yield* worker
        const half = { big: "x".repeat(Limits.sourceFileBytes) }
        const count = Math.ceil(CloudflareLimits.repositoriesKeptBytes / Limits.sourceFileBytes) + 2
        const made = yield* Effect.forEach(Array.from({ length: count }), (_, n) =>
          scene(repositories, projectId(n + 1), { ...half, n: `${n}` })
        )
        for (const [n, { project, s0 }] of made.entries())
          expect((yield* textFiles(repositories, { project }, s0.tree))["n"]).toBe(`${n}`)
      })
    ))
})
