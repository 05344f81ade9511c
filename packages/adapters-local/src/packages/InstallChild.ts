/** Starts, watches and kills the process of one installation. */
import type { ChildProcess } from "node:child_process"
import { PackagesRefused, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { type Cause, Effect, Option, Queue, Schema, Stream } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { killBounded, ownProgram, startBounded } from "../OwnProgram.ts"
import { InstallMessage, type InstallOrder } from "./InstallMessages.ts"

const program = ownProgram(import.meta.url, "InstallProcess")

const unavailable = (reason: string) => new PackagesUnavailable({ reason })

const start = (): ChildProcess =>
  startBounded(program, { dataBytes: LocalLimits.installMemoryBytes, heapBytes: LocalLimits.installHeapBytes })

const decode = Schema.decodeUnknownOption(InstallMessage)

type Answer = Exclude<InstallMessage, { readonly _tag: "Fetched" }>

/** What the process says of archives goes into the queue; its one answer ends it, and so does its death. */
const answerOf = (child: ChildProcess, order: InstallOrder, fetched: Queue.Queue<string, Cause.Done>) =>
  Effect.callback<Answer, PackagesUnavailable>((resume) => {
    child.once("error", (error) => resume(unavailable(`what unpacks packages did not start: ${error.message}`)))
    child.once("exit", () => resume(unavailable("what unpacks packages ended early")))
    child.on("message", (message: unknown) => {
      const said = Option.getOrUndefined(decode(message))
      if (said?._tag === "Fetched") Queue.offerUnsafe(fetched, said.digest)
      else resume(said === undefined ? unavailable("what unpacks packages said something else") : Effect.succeed(said))
    })
    // An order that cannot be sent has no one to take it: `exit` follows.
    child.send(order, () => undefined)
  })

/**
 * Makes a layer in the order's folder. `keep` is called with the digest of each archive as it is fetched, and all are kept
 * before this ends well. Fails with `PackagesUnavailable` too when the process dies or takes too long.
 */
export const installed = <E>(
  order: InstallOrder,
  keep: (digest: string) => Effect.Effect<void, E>
): Effect.Effect<void, E | PackagesRefused | PackagesUnavailable> =>
  Effect.scoped(
    Effect.gen(function* () {
      const fetched = yield* Queue.unbounded<string, Cause.Done>()
      const child = yield* Effect.acquireRelease(Effect.sync(start), (each) => Effect.sync(() => killBounded(each)))
      const answer = Effect.gen(function* () {
        const said = yield* answerOf(child, order, fetched)
        if (said._tag === "Refused") return yield* new PackagesRefused({ problems: said.problems })
        if (said._tag === "Unavailable") return yield* unavailable(said.reason)
        yield* Queue.end(fetched)
      })
      const kept = Stream.fromQueue(fetched).pipe(
        Stream.mapEffect(keep, { concurrency: LocalLimits.packageObjectsAtOnce }),
        Stream.runDrain
      )
      yield* Effect.all([answer, kept], { concurrency: "unbounded", discard: true })
    })
  ).pipe(
    Effect.timeoutOrElse({
      duration: LocalLimits.installMs,
      orElse: () =>
        Effect.fail(unavailable(`fetching and unpacking took longer than ${LocalLimits.installMs / 1000} seconds`))
    })
  )
