import { MemoryLedger, MemoryObjectStore } from "@pawl/adapters-memory"
import { differences } from "@pawl/core/audit/TreeMerge"
import { type FileEdits, Repositories } from "@pawl/core/project/Repositories"
import { depth, rounds, seed } from "@pawl/testing/Depth"
import { projectId, scene } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { Base64 } from "effect/encoding"
import { Effect, Layer } from "effect"
import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"
import { layer } from "@pawl/adapters-cloudflare/repositories/PackLogRepositories"
import type { Files } from "@pawl/adapters-cloudflare/repositories/Tree"
import { versions } from "./RandomSources.ts"

const stores = Layer.merge(MemoryLedger.layerMemory, MemoryObjectStore.layerMemory)

const edits = (from: Files, to: Files): FileEdits =>
  Object.fromEntries([
    ...[...from.keys()].filter((path) => !to.has(path)).map((path) => [path, null] as const),
    ...[...to].map(([path, { object }]) => [path, { base64: Base64.encode(object!.body) }] as const)
  ])

describe("The audit of a merge without git", () => {
  it("derives the same tree of every clean merge, by its own merge of each file", async () => {
    let merges = 0
    const program = (n: number, { base, ours, theirs }: Record<"base" | "ours" | "theirs", Files>) =>
      Effect.gen(function* () {
        const repositories = yield* Repositories
        const { cand, edit, merge, s0, ws } = yield* scene(repositories, projectId(n), edits(new Map(), base))
        const one = yield* edit(ws(1), s0.commit, edits(base, ours))
        const two = yield* edit(ws(2), s0.commit, edits(base, theirs))
        const first = yield* merge(cand(1), s0.commit, [ws(1), one.commit])
        const merged = yield* Effect.result(merge(cand(1), s0.commit, [ws(1), one.commit], [ws(2), two.commit]))
        if (merged._tag === "Failure") return
        merges++
        const trees = { ref: cand(1), base: s0.tree, ours: first.tree, theirs: two.tree }
        expect(yield* differences({ ...trees, result: merged.success.tree })).toEqual([])
      })
    const cases = FastCheck.sample(versions, { numRuns: rounds({ quick: 40, deep: 400 }), seed })
    await Effect.runPromise(
      Effect.provide(
        Effect.forEach(cases, (each, n) => program(n + 1, each)),
        Layer.provide(layer, stores)
      )
    )
    expect(merges).toBeGreaterThan(depth === "quick" ? 5 : 50)
  })
})
