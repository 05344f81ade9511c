/** What tests of removal and upkeep look at: hosts as a router sees them, stored keys, forks, under the test clock. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as PointerRows from "@pawl/core/app/PointerRows"
import { PointerSource } from "@pawl/core/app/PointerSource"
import type { Channel } from "@pawl/core/model/Pointer"
import { Commands } from "@pawl/core/work/Commands"
import type { CommandKind } from "@pawl/core/model/Command"
import { handlers } from "@pawl/core/worker/Handlers"
import { execute } from "@pawl/core/work/Processes"
import { Records } from "@pawl/core/ledger/Records"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { candidateFork } from "@pawl/core/primitives/Ids"
import { Repositories } from "@pawl/core/project/Repositories"
import { answers, page, run, settle } from "./MemoryPawl.ts"

/** Runs a program from the beginning of 2030 on, with an app that answers. */
export const play = (program: Parameters<typeof run>[0]): Promise<void> => {
  answers.clear()
  answers.set("/", page(200))
  return run(
    Effect.asVoid(
      Effect.andThen(TestClock.setTime(Date.UTC(2030, 0, 1)), program).pipe(Effect.provide(TestClock.layer()))
    )
  )
}

/** What a router finds for a host: the status of its row, `removed` by the tombstone alone, or `none`. */
export const hostShows = (label: string, channel: Channel = "production") =>
  Effect.flatMap(PointerSource, (source) => source.find(label, channel)).pipe(
    Effect.map((found) => (found === null ? "none" : found === "removed" ? "tombstone" : found.status)),
    Effect.provide(Layer.fresh(PointerRows.layer))
  )

export const keysUnder = (prefix: string) =>
  Effect.flatMap(ObjectStore, (objects) => Effect.map(objects.list(prefix), (found) => found.map((each) => each.key)))

export const pointersOf = (projectId: string) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(records.list("pointer", { projectId, limit: "all" }), (found) => found.items.map((each) => each.record))
  )

/** Whether a repository holds a commit. */
export const holds = (project: string, fork: string | null, commit: string) =>
  Effect.flatMap(Repositories, (repositories) =>
    repositories.resolve(fork === null ? { project } : { project, fork }, commit)
  ).pipe(
    Effect.as(true),
    Effect.catchTag("ObjectNotFound", () => Effect.succeed(false))
  )

export const candidateHolds = (candidate: {
  readonly id: `cand_${string}`
  readonly projectId: string
  readonly commit: string | null
}) => holds(candidate.projectId, candidateFork(candidate.id), candidate.commit ?? "")

/** Claims and runs one command of a kind, once. Answers whether there was one. */
export const runOne = (kind: CommandKind) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    const [leased] = yield* commands.claim({ worker: "test", kinds: [kind], limit: 1, leaseMs: Limits.commandLeaseMs })
    if (leased !== undefined) yield* execute(leased, handlers)
    return leased !== undefined
  })

/** Lets days go by, then does all that is due. */
export const after = (days: number) => Effect.andThen(TestClock.adjust(`${days} days`), settle)
