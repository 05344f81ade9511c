/** Whether this process can work now: what it stands on answers, and all of its loops run. */
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
import { missing, nobody } from "../http/ReadinessLook.ts"
import { ServerLimits } from "../ServerLimits.ts"
import { fullDisk } from "./FullDisk.ts"
import type { Options } from "./Options.ts"

/**
 * What keeps statements from being signed. It only counts where nothing is served without: else work goes on. Workers
 * alone sign: others need no signer.
 */
const signing = Effect.fnUntraced(function* (signs: boolean) {
  const away = signs
    ? yield* missing(
        "signer",
        Effect.flatMap(Signer, (signer) => signer.keys)
      )
    : null
  const where = { refused: ["log_behind", "key_unknown"] } as const
  const refused = yield* Effect.option(
    Effect.flatMap(Records, (records) => records.list("chainLog", { where, limit: 1 }))
  )
  const code = Option.getOrNull(refused)?.items[0]?.record.refused?.code
  return [away, code === undefined ? null : `signer: ${code}`]
})

const heads = Effect.flatMap(Records, (records) => records.list("head", { limit: 1 }))

/** Looks at a real repository when there is one: that takes git itself. */
const git = (head: Head | undefined) =>
  Effect.flatMap(Repositories, (repositories) =>
    head === undefined ? repositories.main(nobody) : repositories.resolve({ project: head.projectId }, head.commit)
  )

/** The database, then git on what it names. Without a database there is nothing to ask git for. */
const stored = Effect.gen(function* () {
  let head: Head | undefined
  const first = Effect.map(heads, ({ items: [item] }) => void (head = item?.record))
  const away = yield* missing("database", first)
  return away ?? (yield* missing("git", git(head)))
})

/** Who takes the wrong time to be right lets leases end, or holds on to ended ones. */
const clock = Effect.gen(function* () {
  const movedMs = yield* yield* StoreTimeMoved
  return movedMs === null ? null : `database clock: moved by ${Math.round(movedMs / 1000)} s`
})

/** The names of what is away; what is there is null. */
type Look<R> = Effect.Effect<ReadonlyArray<string | null>, never, R>

/** Tells whether the process is ready. */
export interface ReadinessCheck {
  /** Asks what is stood on at most once in `ServerLimits.readyAgeMs`; after `stopping` it says so, and asks no more. */
  readonly state: (typeof Readiness)["Service"]
  readonly stopping: Effect.Effect<void>
}

const checking = Effect.fnUntraced(function* <R>(loops: Loops, look: Look<R>) {
  let isStopping = false
  const context = yield* Effect.context<R | Notices>()
  const looked = yield* recent(
    Effect.provide(
      Effect.gen(function* () {
        const away = [...(yield* look), yield* clock].filter((name) => name !== null)
        return [...away, ...(yield* loops.down)]
      }),
      context
    ),
    ServerLimits.readyAgeMs
  )
  const state: ReadinessCheck["state"] = Effect.gen(function* () {
    if (isStopping) return { status: "stopping", missing: ["stopping"] } as const
    const all = yield* looked
    if (all.length > 0) return { status: "not_ready", missing: all } as const
    // Who goes on without them is slower, not broken.
    const away = yield* Context.get(context, Notices).away
    return away === null ? ({ status: "ready" } as const) : ({ status: "ready", without: ["notices"] } as const)
  })
  return { state, stopping: Effect.sync(() => void (isStopping = true)) } satisfies ReadinessCheck
})

/** Of a process with any role but `router` alone. */
export const make = (loops: Loops, { data, provenance, roles }: Pick<Options, "data" | "provenance" | "roles">) =>
  checking(
    loops,
    Effect.gen(function* () {
      const store = yield* ObjectStore
      const away = yield* Effect.all([stored, missing("object store", store.head(`ready/${nobody}`)), fullDisk(data)], {
        concurrency: "unbounded"
      })
      return [...away, ...(provenance === "enforce" ? yield* signing(roles.includes("worker")) : [])]
    })
  )

/**
 * A router may read bundles and nothing else of the objects, and of those that it may not read it is not told whether they
 * are there: so it looks at some that it serves. One that can be read is enough, for others may have been lost.
 */
const bundles = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
  const store = yield* ObjectStore
  let away: string | null = null
  for (const key of keys) {
    away = yield* missing("object store", store.head(key))
    if (away === null) return null
  }
  return away
})

/** The database, then the objects that it names. */
const served = Effect.gen(function* () {
  const keys: Array<string> = []
  const live = Effect.flatMap(Records, (records) =>
    records.list("pointer", { where: { status: "live" }, limit: ServerLimits.readyBundles })
  )
  const away = yield* missing(
    "database",
    Effect.map(live, ({ items }) => keys.push(...items.flatMap(({ record }) => record.bundleKey ?? [])))
  )
  if (away !== null) return away
  const silent = { duration: ServerLimits.readyAskMs, orElse: () => Effect.succeed("object store") }
  return yield* Effect.timeoutOrElse(bundles(keys), silent)
})

/** Of a process that only routes. */
export const ofRouter = (loops: Loops, { data }: Pick<Options, "data">) =>
  checking(loops, Effect.all([served, fullDisk(data)], { concurrency: "unbounded" }))
