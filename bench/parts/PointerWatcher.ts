/**
 * The router's memory of pointers in a process of its own: `<url> <schema> <label>`. Says `ready` to its parent. For each
 * commit that it is told of it remembers what the label serves now, says `watching`, and then when its memory has that
 * commit: ms since 1970.
 */
import * as MemoryAppRuntime from "@pawl/adapters-memory/MemoryAppRuntime"
import * as MemoryObjectStore from "@pawl/adapters-memory/MemoryObjectStore"
import * as PgClient from "@pawl/adapters-pg/PgClient"
import * as PointerRows from "@pawl/core/app/PointerRows"
import * as Assets from "@pawl/router/Assets"
import * as PointerCache from "@pawl/router/PointerCache"
import * as Router from "@pawl/router/Router"
import * as PointerPush from "@pawl/server/node/PointerPush"
import * as SqlStores from "@pawl/sql/SqlStores"
import { setImmediate as turn } from "node:timers/promises"
import { Effect, Layer, Redacted } from "effect"

/** A pointer's memory, which others push into, over the rows of a database. */
export const routerOn = (url: string, schema: string) =>
  PointerPush.layer.pipe(
    Layer.provide(Router.layer({ apiOrigin: "http://localhost" })),
    Layer.provide(Assets.layer.pipe(Layer.provide(MemoryObjectStore.layerMemory))),
    Layer.provide(MemoryAppRuntime.layerMemory(new Map())),
    Layer.provideMerge(PointerCache.layer.pipe(Layer.provide(PointerRows.layer))),
    Layer.provideMerge(SqlStores.layer),
    Layer.provide(PgClient.layer({ url: Redacted.make(url), schema }))
  )

const watching = (label: string) =>
  Effect.gen(function* () {
    const cache = yield* PointerCache.PointerCache
    const commitOf = Effect.map(cache.find(label, "production"), (found) =>
      found === null || found === "removed" ? null : found.commit
    )
    const awaited = Effect.fnUntraced(function* (commit: string) {
      yield* commitOf
      process.send?.("watching")
      while ((yield* commitOf) !== commit) yield* Effect.promise(() => turn())
      process.send?.({ seenMs: performance.timeOrigin + performance.now() })
    })
    const run = Effect.runForkWith(yield* Effect.context<never>())
    process.on("message", (commit: string) => void run(awaited(commit)))
    process.send?.("ready")
    return yield* Effect.never
  })

const [, program = "", url = "", schema = "", label = ""] = process.argv
// It is imported by its parent, too.
if (import.meta.filename === program) {
  process.on("disconnect", () => process.exit(0))
  Effect.runFork(Effect.scoped(Effect.provide(watching(label), routerOn(url, schema))))
}
