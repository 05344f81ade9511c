/** A worker: claims commands for which there is a slot, one after the other, and runs them side by side. */
import { Effect, FiberSet, Queue } from "effect"
import type { Command } from "../model/Command.ts"
import { Commands } from "./Commands.ts"
import { Slots, type SlotsPerLane } from "./Lanes.ts"
import { Limits } from "../primitives/Limits.ts"
import { describe } from "../primitives/Words.ts"
import { execute, type Handlers } from "./Processes.ts"

/**
 * Works until it is interrupted. Then what runs is interrupted too and given back, before this ends: nothing that was
 * claimed is left behind.
 */
export const worker = Effect.fnUntraced(function* <R>(options: {
  readonly name: string
  readonly slots: SlotsPerLane
  readonly handlers: Handlers<R>
}) {
  const commands = yield* Commands
  const kinds = Object.keys(options.handlers) as ReadonlyArray<Command["kind"]>
  const slots = new Slots(options.slots, kinds)
  const running = yield* FiberSet.make<void>()
  const freed = yield* Queue.sliding<void>(1)
  const asked = { worker: options.name, limit: 1, leaseMs: Limits.commandLeaseMs }

  // A stop between the claim and the work would leave the command claimed by nobody.
  const turn = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* Queue.clear(freed)
      const room = slots.room()
      if (room === null) return yield* restore(Queue.take(freed))
      const claimed = yield* commands
        .claim({ ...asked, kinds: room.kinds, except: room.except })
        .pipe(Effect.catch((problem) => Effect.as(Effect.logWarning("claim failed", describe(problem)), [])))
      for (const leased of claimed) {
        slots.take(leased.command)
        const done = Effect.suspend(() => {
          slots.free(leased.command)
          return Queue.offer(freed, undefined)
        })
        yield* FiberSet.run(running, Effect.ensuring(execute(leased, options.handlers), done))
      }
      if (claimed.length > 0) return
      const work = commands.awaitWork(Limits.workLookMs)
      yield* restore(room.isEverything ? work : Effect.raceFirst(work, Queue.take(freed)))
    })
  )
  return yield* Effect.forever(turn)
}, Effect.scoped)
