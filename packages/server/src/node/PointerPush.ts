/**
 * Pushes a pointer that moved into this process's router, and to the routers of the other processes on the same
 * database. A router that may have missed a push forgets everything that it remembers. What was removed stops running.
 */
import { Notices } from "@pawl/core/ledger/Notices"
import { PointerSignal } from "@pawl/core/app/PointerSignal"
import { PointerCache } from "@pawl/router/PointerCache"
import { Router } from "@pawl/router/Router"
import { Effect, Layer } from "effect"

const topic = "pointer:"

/** The app's pointers, by host label. A push that is lost costs at most the age of the router's cache. */
export const layer: Layer.Layer<never, never, PointerCache | Router | Notices> = Layer.effect(
  PointerSignal,
  Effect.gen(function* () {
    const cache = yield* PointerCache
    const router = yield* Router
    const notices = yield* Notices
    const scope = yield* Effect.scope
    const run = Effect.runSyncWith(yield* Effect.context<never>())
    const moved = (label: string) =>
      Effect.andThen(cache.invalidate(label), Effect.forkIn(router.stopRemoved(label), scope))
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        notices.subscribe({
          heard: (heard) => {
            if (heard.startsWith(topic)) run(moved(heard.slice(topic.length)))
          },
          missed: () => run(cache.invalidateAll)
        })
      ),
      (stop) => Effect.sync(stop)
    )
    return {
      moved: (label) =>
        Effect.andThen(
          moved(label),
          Effect.sync(() => notices.publish(`${topic}${label}`))
        )
    }
  })
)
