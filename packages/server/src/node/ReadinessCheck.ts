/** Whether this process can work now: what it stands on answers, and all of its loops run. */
import { isOutage } from "@pawl/core/work/Outages"
import { Notices } from "@pawl/core/ledger/Notices"
import { Records } from "@pawl/core/ledger/Records"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Repositories } from "@pawl/core/project/Repositories"
import type { Head } from "@pawl/core/model/Generation"
import { recent } from "@pawl/core/primitives/Recent"
import { StoreTimeMoved } from "@pawl/core/primitives/StoreTime"
import { Signer } from "@pawl/core/provenance/Signer"
import type { Loops } from "@pawl/core/upkeep/Loops"
import { Context, Effect, Option } from "effect"
import type { Readiness } from "../http/index.ts"
import { ServerLimits } from "../ServerLimits.ts"
import { fullDisk } from "./FullDisk.ts"
import type { Options } from "./Options.ts"

/** What keeps statements from being signed. It only counts where nothing is served without: else work goes on. */
const signing = Effect.gen(function* () {
  const away = yield* missing(
    "signer",
    Effect.flatMap(Signer, (signer) => signer.keys)
  )
  const where = { refused: ["log_behind", "key_unknown"] } as const
  const refused = yield* Effect.option(
    Effect.flatMap(Records, (records) => records.list("chainLog", { where, limit: 1 }))
  )
  const code = Option.getOrNull(refused)?.items[0]?.record.refused?.code
  return [away, code === undefined ? null : `signer: ${code}`]
})

/** Something to look for that nobody stored. */
const nobody = "proj_00000000-0000-4000-8000-000000000000"

const heads = Effect.flatMap(Records, (records) => records.list("head", { limit: 1 }))

/** Looks at a real repository when there is one: that takes git itself. */
const git = (head: Head | undefined) =>
  Effect.flatMap(Repositories, (repositories) =>
    head === undefined ? repositories.main(nobody) : repositories.resolve({ project: head.projectId }, head.commit)
  )

/** Null when it answers, whatever it answers; its name when it is away, or silent for `ServerLimits.readyAskMs`. */
const missing = <A, E, R>(name: string, look: Effect.Effect<A, E, R>): Effect.Effect<string | null, never, R> =>
  look.pipe(
    Effect.as(null),
    Effect.catch((problem) => Effect.succeed(isOutage(problem) ? name : null)),
    Effect.catchDefect(() => Effect.succeed(name)),
    Effect.timeoutOrElse({ duration: ServerLimits.readyAskMs, orElse: () => Effect.succeed(name) })
  )

/** The database, then git on what it names. Without a database there is nothing to ask git for. */
const stored = Effect.gen(function* () {
  let head: Head | undefined
  const first = Effect.map(heads, ({ items: [item] }) => void (head = item?.record))
  const away = yield* missing("database", first)
  return away ?? (yield* missing("git", git(head)))
})

/**
 * `state` asks what is stood on at most once in `ServerLimits.readyAgeMs`; after `stopping` it says so, and asks no
 * more.
 */
export const make = Effect.fnUntraced(function* (
  loops: Loops,
  { data, provenance }: Pick<Options, "data" | "provenance">
) {
  let isStopping = false
  const context = yield* Effect.context<Records | ObjectStore | Repositories | Signer | Notices>()
  const look = Effect.gen(function* () {
    const store = yield* ObjectStore
    const away = yield* Effect.all([stored, missing("object store", store.head(`ready/${nobody}`)), fullDisk(data)], {
      concurrency: "unbounded"
    })
    // Who takes the wrong time to be right lets leases end, or holds on to ended ones.
    const movedMs = yield* yield* StoreTimeMoved
    const clock = movedMs === null ? [] : [`database clock: moved by ${Math.round(movedMs / 1000)} s`]
    const unsigned = provenance === "enforce" ? yield* signing : []
    return [...[...away, ...unsigned].filter((name) => name !== null), ...clock, ...(yield* loops.down)]
  })
  const looked = yield* recent(Effect.provide(look, context), ServerLimits.readyAgeMs)
  const state: (typeof Readiness)["Service"] = Effect.gen(function* () {
    if (isStopping) return { status: "stopping", missing: ["stopping"] } as const
    const all = yield* looked
    if (all.length > 0) return { status: "not_ready", missing: all } as const
    // Who goes on without them is slower, not broken.
    const away = yield* Context.get(context, Notices).away
    return away === null ? ({ status: "ready" } as const) : ({ status: "ready", without: ["notices"] } as const)
  })
  return { state, stopping: Effect.sync(() => void (isStopping = true)) }
})
