/**
 * The process that parses code of anyone, bounded in time and memory: it is started when it is needed, kept for a while, and
 * killed with whatever it could not end.
 */
import type { ChildProcess } from "node:child_process"
import { Effect, Option, Schema, type Scope, Semaphore } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { killBounded, ownProgram, startBounded } from "../OwnProgram.ts"
import { SymbolAnswer, type SymbolOrder } from "./SymbolMessages.ts"

const program = ownProgram(import.meta.url, "SymbolProcess")

const start = (): ChildProcess =>
  startBounded(program, { dataBytes: LocalLimits.buildMemoryBytes, heapBytes: LocalLimits.symbolsHeapBytes })

/** The process, and how many orders it has had: one that is kept for nobody is stopped. */
class Kept {
  private child: ChildProcess | null = null
  private orders = 0

  /** The process that runs, or a new one. */
  take(): { readonly child: ChildProcess; readonly order: number } {
    this.child ??= this.begun()
    this.orders += 1
    return { child: this.child, order: this.orders }
  }

  private begun(): ChildProcess {
    const child = start()
    const gone = () => {
      if (this.child === child) this.child = null
    }
    child.once("error", gone)
    child.once("exit", gone)
    return child
  }

  /** Stops it, unless it has had another order since the one of this number. */
  stop(since = this.orders): void {
    const { child } = this
    if (child === null || since !== this.orders) return
    this.child = null
    killBounded(child)
  }
}

/** What it answers; none when it died, could not start, or said something else. */
const answered = (child: ChildProcess, order: SymbolOrder) =>
  Effect.callback<Option.Option<SymbolAnswer>>((resume) => {
    const end = (answer: Option.Option<SymbolAnswer>) => {
      child.off("error", none)
      child.off("exit", none)
      child.off("message", read)
      resume(Effect.succeed(answer))
    }
    const none = () => end(Option.none())
    const read = (message: unknown) =>
      end(Option.filter(Schema.decodeUnknownOption(SymbolAnswer)(message), (answer) => answer.order === order.order))
    child.once("error", none)
    child.once("exit", none)
    child.once("message", read)
    // An order that cannot be sent has no one to take it: `exit` follows.
    child.send(order, () => undefined)
  })

const asked = (kept: Kept, question: Omit<SymbolOrder, "order">, withinMs: number) =>
  Effect.gen(function* () {
    const { child, order } = kept.take()
    const answer = yield* answered(child, { order, ...question }).pipe(
      Effect.timeoutOrElse({ duration: withinMs, orElse: () => Effect.succeedNone }),
      Effect.onInterrupt(() => Effect.sync(() => kept.stop()))
    )
    if (Option.isNone(answer)) {
      kept.stop()
      yield* Effect.logWarning("code not read: the parser did not finish with it")
    }
    return { order, answer }
  })

/** What parses. */
export interface CodeParser {
  /** The answer to one order; none when the process died, could not start, or did not end in so many milliseconds. */
  readonly ask: (question: Omit<SymbolOrder, "order">, withinMs: number) => Effect.Effect<Option.Option<SymbolAnswer>>
}

/** One order at a time: who asks meanwhile waits at most as long as the others may take. */
export const open: Effect.Effect<CodeParser, never, Scope.Scope> = Effect.gen(function* () {
  const kept = yield* Effect.acquireRelease(
    Effect.sync(() => new Kept()),
    (each) => Effect.sync(() => each.stop())
  )
  const scope = yield* Effect.scope
  const turns = yield* Semaphore.make(1)
  return {
    ask: Effect.fnUntraced(function* (question: Omit<SymbolOrder, "order">, withinMs: number) {
      const { answer, order } = yield* turns.withPermits(1)(asked(kept, question, withinMs))
      yield* Effect.sleep(LocalLimits.symbolsKeptMs).pipe(
        Effect.andThen(Effect.sync(() => kept.stop(order))),
        Effect.forkIn(scope)
      )
      return answer
    })
  }
})
