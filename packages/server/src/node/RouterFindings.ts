/** What `pawl doctor` finds of a process that only routes: its rights, and what they should not let it do. */
import { rightsProblem, rightsRemedy } from "@pawl/adapters-pg/rights/RouterStart"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { Effect } from "effect"
import { ServerLimits } from "../ServerLimits.ts"
import type { Finding } from "../http/index.ts"
import type { DatabaseUnavailable, Installation } from "./installations/Installation.ts"
import * as Objects from "./Objects.ts"
import type { Options } from "./Options.ts"

const part = "Rights"

const rights = ({ rights: of }: Installation): Effect.Effect<ReadonlyArray<Finding>> =>
  of === null
    ? Effect.succeed([])
    : of.own.pipe(
        Effect.map((report): ReadonlyArray<Finding> => {
          const problem = rightsProblem(report)
          const remedy = rightsRemedy(report)
          if (problem === null)
            return [{ part, state: "ok", found: `the user ${report.role} has those of a router`, remedy: null }]
          return [{ part, state: report.missing.length > 0 ? "missing" : "weak", found: problem, remedy }]
        }),
        // That it is away is told by its own finding.
        Effect.catch(() => Effect.succeed([]))
      )

/** Where some of what it serves lies. */
const bundleKeys = ({ beside }: Installation): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const where = { status: "live" }
    const live = yield* (yield* Records).list("pointer", { where, limit: ServerLimits.readyBundles })
    return live.items.flatMap(({ record }) => record.bundleKey ?? [])
  }).pipe(
    Effect.provide(beside),
    Effect.catch((_: DatabaseUnavailable | LedgerUnavailable) => Effect.succeed([]))
  )

/** The rights in the database, and those in the bucket. */
export const routerFindings = (
  installation: Installation,
  options: Pick<Options, "data" | "objects">
): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const found = yield* Objects.lookAsRouter(options, yield* bundleKeys(installation))
    return [...(yield* rights(installation)), { part: "Objects", ...found }]
  })
