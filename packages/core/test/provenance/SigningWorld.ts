/** A chain over stores in memory, a signer that a test may send away or exchange, and the worker that signs. */
import { Effect, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import * as MemorySignedHeads from "@pawl/adapters-memory/MemorySignedHeads"
import * as MemorySigner from "@pawl/adapters-memory/MemorySigner"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import * as Draft from "@pawl/core/ledger/Draft"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { system } from "@pawl/core/model/Actor"
import { type ChainId, statementKey } from "@pawl/core/model/Statement"
import type { ProjectId } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import { SignedHeads } from "@pawl/core/provenance/SignedHeads"
import { Signer, SignerUnavailable } from "@pawl/core/provenance/Signer"
import { sign } from "@pawl/core/provenance/Signing"
import { append, emptyChain, type Fact } from "@pawl/core/provenance/Statements"
import { Commands } from "@pawl/core/work/Commands"
import { execute } from "@pawl/core/work/Processes"

export const chain = "proj_00000000-0000-4000-8000-000000000001" as const
export const another = "proj_00000000-0000-4000-8000-000000000002" as const

export type Service = Signer["Service"]

/** What a test may do to the signer. */
export const hands: { away: boolean; signer: Service | null; first: Service | null } = {
  away: false,
  signer: null,
  first: null
}

/** A signer with keys of its own. */
export const newSigner = Effect.provide(Signer, Layer.fresh(MemorySigner.layerMemory))

const signer = Layer.effect(
  Signer,
  Effect.map(Signer, (real): Service => {
    const now = () => hands.signer ?? real
    hands.first = real
    return {
      keys: Effect.suspend(() => now().keys),
      sign: (use, message) =>
        Effect.suspend(() =>
          hands.away ? Effect.fail(new SignerUnavailable({ reason: "sent away" })) : now().sign(use, message)
        )
    }
  })
).pipe(Layer.provide(MemorySigner.layerMemory))

const layer = Layer.mergeAll(MemoryLedger.layerMemory, MemorySignedHeads.layerMemory, signer)

/** All that signing needs. */
export type Services = Layer.Success<typeof layer>

export const run = <A, E>(body: Effect.Effect<A, E, Services>): Promise<A> => {
  hands.away = false
  hands.signer = null
  return Effect.runPromise(
    body.pipe(
      Effect.provide(layer),
      Effect.provide(TestClock.layer()),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )
}

const fact = (project: ProjectId, version: number): Fact<"policy"> => ({
  kind: "policy",
  generation: null,
  subject: [{ name: `${project}/policy/${version}`, digest: { sha256: "0".repeat(64) } }],
  facts: { version, by: "system:test" }
})

/** A Project's chain, without a statement, and its head. */
export const begin = (project: ProjectId = chain) =>
  Effect.gen(function* () {
    const tree = "a".repeat(40)
    const head = { projectId: project, generation: 3, commit: tree, tree, syncedGeneration: 3 }
    const writes = [Commit.insert("chain", emptyChain(project, yield* Time.now)), Commit.insert("head", head)]
    yield* (yield* Ledger).commit({ name: "begin", projectId: project, writes })
  })

/** Adds statements. */
export const state = (count: number, project: ProjectId = chain) =>
  Effect.gen(function* () {
    const draft = Draft.begin(project, system("test"), yield* Time.now)
    const stored = yield* demand("chain", project)
    const from = stored.record.size
    append(draft, stored, ...Array.from({ length: count }, (_, index) => fact(project, from + index + 1)))
    yield* (yield* Ledger).commit(Draft.end(draft, { name: "state" }))
  })

/** Does what is due of signing; answers how many commands that were. */
export const work = Effect.gen(function* () {
  const commands = yield* Commands
  const kinds = ["statement.sign"] as const
  const claimed = yield* commands.claim({ worker: "test", kinds, limit: 10, leaseMs: Limits.commandLeaseMs })
  const body = ({ payload }: { readonly payload: Readonly<Record<string, unknown>> }) =>
    sign(payload["chain"] as ChainId)
  yield* Effect.forEach(claimed, (leased) => execute(leased, { "statement.sign": body }))
  return claimed.length
})

/** The same until nothing is due. */
export const settled = Effect.gen(function* () {
  while ((yield* work) > 0) yield* Effect.yieldNow
})

export const statement = (entry: number, of: ChainId = chain) =>
  Effect.map(demand("statement", statementKey(of, entry)), ({ record }) => record)

export const log = (of: ChainId = chain) => Effect.map(demand("chainLog", of), ({ record }) => record)

export const headOf = (origin: string) => Effect.flatMap(SignedHeads, (heads) => heads.get(origin))
