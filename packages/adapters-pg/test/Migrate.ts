/** A process that opens the stores when it is told to, and says how that went. */
import { once } from "node:events"
import * as PgClient from "@pawl/adapters-pg/PgClient"
import * as SqlStores from "@pawl/sql/SqlStores"
import { Effect, Layer, Redacted } from "effect"

const [url = "", schema = ""] = process.argv.slice(2)
const stores = Layer.provide(SqlStores.layer, PgClient.layer({ url: Redacted.make(url), schema }))
console.log("ready")
await once(process.stdin, "data")
const outcome = await Effect.runPromise(Effect.scoped(Effect.result(Layer.build(stores))))
console.log(outcome._tag === "Success" ? "migrated" : `failed: ${String(outcome.failure)}`)
process.exit(0)
