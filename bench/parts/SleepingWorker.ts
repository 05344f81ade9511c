/**
 * A worker in a process of its own, on a Postgres: `<url> <schema> <turn as JSON, or none>`. Says `ready` to its parent, then
 * the moment at which each piece of work began and ended, ms since 1970.
 */
import * as PgClient from "@pawl/adapters-pg/PgClient"
import type { Command } from "@pawl/core/model/Command"
import type { Ledger } from "@pawl/core/ledger/Ledger"
import type { Handler, Handlers, Process } from "@pawl/core/work/Processes"
import { worker } from "@pawl/core/work/Worker"
import * as SqlStores from "@pawl/sql/SqlStores"
import { Effect, Layer, Redacted } from "effect"
import { snapshotOf } from "./PromotionWorld.ts"
import { handlers, slots } from "./SleepingWork.ts"

/** What a process says of a piece of work. */
export interface Told {
  readonly id: string
  readonly kind: Command["kind"]
  readonly beganMs: number
  readonly endedMs: number
}

const [, , url = "", schema = "", prepared = ""] = process.argv
const nowMs = () => performance.timeOrigin + performance.now()

const telling = (inner: Handler<Ledger | Process>): Handler<Ledger | Process> =>
  Effect.fnUntraced(function* (command) {
    const beganMs = nowMs()
    yield* inner(command)
    process.send?.({ id: command.id, kind: command.kind, beganMs, endedMs: nowMs() } satisfies Told)
  })

const told: Handlers<Ledger> = Object.fromEntries(
  Object.entries(handlers).map(([kind, inner]) => [kind, telling(inner as Handler<Ledger | Process>)])
)

const stores = SqlStores.layer.pipe(
  Layer.provide(PgClient.layer({ url: Redacted.make(url), schema, connections: prepared === "" ? 1 : 10 }))
)

// What a promotion decides from is there before the clock runs: making it again and again is this bench's own work.
if (prepared !== "") {
  const { each, projects } = JSON.parse(prepared) as { readonly each: number; readonly projects: number }
  for (let project = 0; project < projects; project++) snapshotOf(project, each)
}
process.on("disconnect", () => process.exit(0))
Effect.runFork(worker({ name: `bench-${process.pid}`, slots, handlers: told }).pipe(Effect.provide(stores)))
process.send?.("ready")
