import { Deferred, Effect, Fiber, Layer, Queue } from "effect"
import { expect, it } from "vitest"
import type { SandboxJob } from "@pawl/core/verification/Sandbox"
import { SandboxSlots } from "@pawl/core/verification/SandboxSlots"
import * as MemorySandbox from "@pawl/adapters-memory/MemorySandbox"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { Commands } from "@pawl/core/work/Commands"
import { handlers } from "@pawl/core/worker/Handlers"
import { demand } from "@pawl/core/ledger/Decision"
import { execute } from "@pawl/core/work/Processes"
import * as FairSlots from "@pawl/core/primitives/FairSlots"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Projects from "@pawl/core/project/Projects"
import { organizationId, person, run, settle } from "../kit/MemoryPawl.ts"
import { files, opened } from "../kit/Scenes.ts"

const checks = ["one", "two", "three", "four", "five"].map((id) => ({ id, command: id }))
const source = { ...files, "pawl.json": JSON.stringify({ checks }) }

/** Sandboxes that end when they are told to, in the order in which they began. */
const gated = Effect.gen(function* () {
  const begun = yield* Queue.unbounded<{ readonly id: string; readonly end: Deferred.Deferred<void> }>()
  let [inside, most] = [0, 0]
  const script = (job: SandboxJob) =>
    Effect.gen(function* () {
      most = Math.max(most, ++inside)
      const end = yield* Deferred.make<void>()
      yield* Queue.offer(begun, { id: job.id, end })
      yield* Deferred.await(end)
      inside--
      return { outcome: { _tag: "Exited" as const, code: 0 } }
    })
  const sandbox = yield* Layer.build(MemorySandbox.layerMemory(script))
  return { begun, sandbox, most: () => most }
})

/** A worker of a process with slots of its own: takes one command after the other. */
const worker = (slots: FairSlots.FairSlots) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    const asked = { worker: "w", kinds: ["candidate.create"], limit: 1, leaseMs: Limits.commandLeaseMs } as const
    const [leased] = yield* commands.claim(asked)
    if (leased === undefined) return yield* commands.awaitWork(100)
    yield* Effect.provideService(execute(leased, handlers), SandboxSlots, slots)
  }).pipe(Effect.forever)

it("runs at most 4 sandboxes of a Change at once, over all its Candidates and all processes, and every check at last", () =>
  run(
    Effect.scoped(
      Effect.gen(function* () {
        const { begun, most, sandbox } = yield* gated
        const project = yield* Projects.create(person, { organizationId, slug: "many", files: source })
        yield* settle
        const change = yield* opened(project.id, "r1")
        const asked = yield* Effect.forEach(["a.txt", "b.txt", "c.txt"], (name) =>
          Effect.gen(function* () {
            const edit = { changeId: change.id, message: name, files: { [name]: name }, baseGeneration: 0 }
            const changeSet = yield* ChangeSets.record(person, edit)
            return yield* Candidates.request(person, { changeId: change.id, changeSetIds: [changeSet.id] })
          })
        )
        const processes = [FairSlots.make(8), FairSlots.make(8)]
        const working = yield* Effect.all(
          processes.flatMap((slots) => [worker(slots), worker(slots)]),
          {
            concurrency: "unbounded"
          }
        ).pipe(Effect.provide(sandbox), Effect.forkChild)
        const total = asked.length * checks.length
        const held: Array<Deferred.Deferred<void>> = []
        const seen = new Set<string>()
        while (seen.size < total) {
          const { end, id } = yield* Queue.take(begun)
          seen.add(id)
          held.push(end)
          if (held.length === Limits.activeSandboxesPerChange) yield* Deferred.succeed(held.shift()!, undefined)
        }
        for (const end of held) yield* Deferred.succeed(end, undefined)
        for (const { candidate } of asked)
          while ((yield* demand("candidate", candidate.id)).record.status !== "verified") yield* Effect.yieldNow
        yield* Fiber.interrupt(working)
        expect(most()).toBe(Limits.activeSandboxesPerChange)
      })
    )
  ))
