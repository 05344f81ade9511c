/** Event streams (`text/event-stream`): they stay open until the reader leaves, may no longer read, or the server closes. */
import { Context, Deferred, Effect, Layer, Queue, Schedule, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { requireRole } from "@pawl/core/access/Access"
import { requireStillIn } from "@pawl/core/access/StillIn"
import { EventLog } from "@pawl/core/event/EventLog"
import type { Event } from "@pawl/core/model/Event"
import { steadyMillis } from "@pawl/core/primitives/Time"
import { ServerLimits } from "../../ServerLimits.ts"
import { CurrentUser } from "../../api/Authentication.ts"
import { problemOf } from "./Problems.ts"

/** The streams that are open in this process. */
export class OpenStreams extends Context.Service<
  OpenStreams,
  {
    /** Streams by user. */
    readonly open: Map<string, number>
    /** Ends all of them. */
    readonly closing: Deferred.Deferred<void>
    /** Each makes one of them look at once whether its reader may still read. One look that is owed is enough. */
    readonly looking: Set<Queue.Queue<void>>
  }
>()("@pawl/server/http/OpenStreams") {}

/** Closing the scope ends all streams that are open. */
export const layer: Layer.Layer<OpenStreams> = Layer.effect(
  OpenStreams,
  Effect.gen(function* () {
    const closing = yield* Deferred.make<void>()
    yield* Effect.addFinalizer(() => Deferred.succeed(closing, undefined))
    return { open: new Map(), closing, looking: new Set() }
  })
)

/** One item of a stream: its id is the sequence, its data the whole of it, in one line. */
export const frame = (item: { readonly sequence: number }): string =>
  `id: ${item.sequence}\ndata: ${JSON.stringify(item)}\n\n`

const opening = `retry: ${ServerLimits.eventRetryMs}\n\n`
const heartbeat = ": still here\n\n"

/** Ends with a refusal when the reader's token or role is gone. */
const stillAllowed = (caller: CurrentUser["Service"], projectId: string) =>
  Effect.andThen(requireStillIn(caller), requireRole(caller.user.id, projectId, "viewer"))

/**
 * What is told while the reader may read. Others end people's rights too, in processes that this one does not hear: an
 * item comes at most `eventTrustMs` after a look.
 */
const told = <E, E2, R>(frames: Stream.Stream<string, E>, look: Effect.Effect<unknown, E2, R>) => {
  let lookedAt = Number.NEGATIVE_INFINITY
  const trusted = Effect.gen(function* () {
    const now = yield* steadyMillis
    if (now - lookedAt < ServerLimits.eventTrustMs) return
    yield* look
    lookedAt = now
  })
  return Stream.mapArrayEffect(frames, (chunk) => Effect.as(trusted, chunk))
}

/** Has the open streams of this process look at once whether their readers may still read. */
export const lookAgain = ({ looking }: OpenStreams["Service"]) =>
  Effect.sync(() => {
    for (const asked of looking) Queue.offerUnsafe(asked, undefined)
  })

/** Where one stream hears that it has to look, for as long as it is open. */
const asking = (looking: Set<Queue.Queue<void>>) =>
  Effect.acquireRelease(
    Effect.tap(Queue.sliding<void>(1), (asked) => Effect.sync(() => looking.add(asked))),
    (asked) => Effect.sync(() => looking.delete(asked))
  )

const counted = (open: Map<string, number>, userId: string) =>
  Effect.acquireRelease(
    Effect.sync(() => void open.set(userId, (open.get(userId) ?? 0) + 1)),
    () =>
      Effect.sync(() => {
        const left = (open.get(userId) ?? 1) - 1
        if (left > 0) open.set(userId, left)
        else open.delete(userId)
      })
  )

/** An answer that stays open while its reader may read the Project: these frames, and heartbeats between them. */
export const streaming = <E>(projectId: string, frames: Stream.Stream<string, E>) =>
  Effect.flatMap(CurrentUser, (caller) => openWhile(stillAllowed(caller, projectId), frames))

/** An answer that stays open as long as `look` does not fail. */
export const openWhile = Effect.fnUntraced(function* <E, E2, R2>(
  look: Effect.Effect<unknown, E2, R2>,
  frames: Stream.Stream<string, E>
) {
  const caller = yield* CurrentUser
  const { closing, looking, open } = yield* OpenStreams
  if ((open.get(caller.user.id) ?? 0) >= ServerLimits.eventStreamsPerCaller)
    return yield* problemOf(
      429,
      "too_many_streams",
      "Too many open streams",
      `You have ${ServerLimits.eventStreamsPerCaller} open streams. Close one.`,
      { retryAfterSeconds: 5 }
    )
  const context = yield* Effect.context<R2>()
  const beats = Stream.fromSchedule(Schedule.spaced(ServerLimits.eventHeartbeatMs)).pipe(
    Stream.mapEffect(() => Effect.as(look, heartbeat))
  )
  const shown = (asked: Queue.Queue<void>) => {
    // Looks once more now: rights may have ended after the answer was decided and before it hears of that.
    const looks = Stream.concat(Stream.make(undefined), Stream.fromQueue(asked)).pipe(
      Stream.mapEffect(() => look),
      Stream.drain
    )
    return Stream.make(opening).pipe(
      Stream.concat(Stream.mergeAll([told(frames, look), beats, looks], { concurrency: "unbounded" })),
      Stream.interruptWhen(Deferred.await(closing)),
      Stream.catch((problem) => Stream.drain(Stream.fromEffect(Effect.logDebug("event stream ended", problem))))
    )
  }
  const body = counted(open, caller.user.id).pipe(
    Effect.andThen(asking(looking)),
    Effect.map(shown),
    Stream.unwrap,
    Stream.encodeText,
    Stream.provideContext(context)
  )
  return HttpServerResponse.stream(body, { contentType: "text/event-stream", headers: { "x-accel-buffering": "no" } })
})

/** Every event after `after` that fits, then each new one. */
export const eventStream = Effect.fnUntraced(function* (
  projectId: string,
  after: number,
  fits: (event: Event) => boolean
) {
  const log = yield* EventLog
  // Asked once before, so that events that are gone are a problem and not a stream that ends.
  yield* log.read(projectId, after, 1)
  return yield* streaming(projectId, Stream.map(Stream.filter(log.follow(projectId, after), fits), frame))
})
