/** A process that opens the stores when it is told to, and says how that went. */
import { once } from "node:events"
import { Effect, Layer } from "effect"
import { storesOn } from "./SqliteFixture.ts"

console.log("ready")
await once(process.stdin, "data")
const outcome = await Effect.runPromise(Effect.scoped(Effect.result(Layer.build(storesOn(process.argv[2]!)))))
console.log(outcome._tag === "Success" ? "migrated" : `failed: ${String(outcome.failure)}`)
process.exit(0)
