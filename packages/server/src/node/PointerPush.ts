/**
 * Pushes a pointer that moved into this process's router, and to the routers of the other processes on the same
 * database. A router that may have missed a push forgets everything that it remembers.
 */
import { Notices } from "@pawl/adapters-pg/Notices"
import { PointerSignal } from "@pawl/core/app/PointerSignal"
import { PointerCache } from "@pawl/router/PointerCache"
import { Effect, Layer, Runtime } from "effect"

const topic = "pointer:"

export const layer: Layer.Layer<never, never, PointerCache | Notices> = Layer.scoped(
  PointerSignal,
  Effect.gen(function* () {
    const cache = yield* PointerCache
    const notices = yield* Notices
    const run = Runtime.runSync(yield* Effect.runtime<never>())
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        notices.subscribe({
          heard: (heard) => {
            if (heard.startsWith(topic)) run(cache.invalidate(heard.slice(topic.length)))
          },
          missed: () => run(cache.invalidateAll)
        })
      ),
      (stop) => Effect.sync(stop)
    )
    return {
      moved: (label) =>
        Effect.zipRight(
          cache.invalidate(label),
          Effect.sync(() => notices.publish(`${topic}${label}`))
        )
    }
  })
)
