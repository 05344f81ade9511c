/**
 * Reads symbols with the parser that builds have, in a process of its own: anyone may have written the code, and no
 * parser promises to end soon. It is started when it is needed, bounded in time and memory, kept for a while, and killed
 * with whatever it could not end.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mayHaveSymbols, type SourceText, Symbols, type SymbolsShape } from "@pawl/core/project/Symbols"
import { Effect, Layer, Option, Schema, Semaphore } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { ownProgram } from "../OwnProgram.ts"
import { SymbolAnswer, type SymbolOrder } from "./SymbolMessages.ts"

const program = ownProgram(import.meta.url, "SymbolProcess")
const limited = 'ulimit -c 0; ulimit -d "$1"; shift; exec "$@"'
const KiB = 1024

const start = (): ChildProcess =>
  spawn(
    "/bin/sh",
    [
      "-c",
      limited,
      "sh",
      String(Math.floor(LocalLimits.buildMemoryBytes / KiB)),
      process.execPath,
      `--max-old-space-size=${Math.floor(LocalLimits.symbolsHeapBytes / KiB / KiB)}`,
      ...program
    ],
    {
      cwd: "/",
      env: { LC_ALL: "C.UTF-8" },
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced"
    }
  )

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
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, "SIGKILL")
    } catch {
      // It has ended already.
    }
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

const unread = (files: ReadonlyArray<SourceText>) => files.map(() => null)

/** As many of the files, from the first on, as are read in one go. */
const worthReading = (files: ReadonlyArray<SourceText>): ReadonlyArray<SourceText> => {
  let characters = 0
  return files.filter(({ path, text }) => {
    if (!mayHaveSymbols(path) || text.length > LocalLimits.symbolsFileCharacters) return false
    characters += text.length
    return characters <= LocalLimits.symbolsCharacters
  })
}

const reading = (kept: Kept, files: ReadonlyArray<SourceText>) =>
  Effect.gen(function* () {
    const { child, order } = kept.take()
    const answer = yield* answered(child, { order, files }).pipe(
      Effect.timeoutOrElse({ duration: LocalLimits.symbolsMs, orElse: () => Effect.succeedNone }),
      Effect.onInterrupt(() => Effect.sync(() => kept.stop()))
    )
    if (Option.isSome(answer)) return { order, parts: answer.value.parts }
    kept.stop()
    yield* Effect.logWarning("symbols not read: the parser did not finish with these files")
    return { order, parts: unread(files) }
  })

/** One order at a time: who asks meanwhile waits at most as long as the others may take. */
export const layer: Layer.Layer<never> = Layer.effect(
  Symbols,
  Effect.gen(function* () {
    const kept = yield* Effect.acquireRelease(
      Effect.sync(() => new Kept()),
      (each) => Effect.sync(() => each.stop())
    )
    const scope = yield* Effect.scope
    const turns = yield* Semaphore.make(1)
    const of: SymbolsShape["of"] = Effect.fnUntraced(function* (files) {
      const read = worthReading(files)
      if (read.length === 0) return unread(files)
      const { order, parts } = yield* turns.withPermits(1)(reading(kept, read))
      yield* Effect.sleep(LocalLimits.symbolsKeptMs).pipe(
        Effect.andThen(Effect.sync(() => kept.stop(order))),
        Effect.forkIn(scope)
      )
      return files.map((file) => parts[read.indexOf(file)] ?? null)
    }, Effect.withSpan("BabelSymbols.of"))
    return { of }
  })
)
