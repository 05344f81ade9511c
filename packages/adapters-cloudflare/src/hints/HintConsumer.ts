/** Brings hints from their queue to where they belong, and makes dead letters of those that could not be brought. */
import { Ledger } from "@pawl/core/ledger/Ledger"
import { commandId, type NewCommand } from "@pawl/core/model/Command"
import { Limits } from "@pawl/core/primitives/Limits"
import { Commands } from "@pawl/core/work/Commands"
import { Effect, Schema } from "effect"
import { Hint } from "./Hint.ts"

/** A message, as its queue hands it over. */
export interface HintMessage {
  readonly id: string
  readonly body: unknown
  readonly ack: () => void
  /** Has it come again, or go to the dead ones when it came as often as it may. */
  readonly retry: () => void
}

const isHint = Schema.is(Hint)
const decode = Schema.decodeUnknownEffect(Hint)

/** Brings the messages of a batch, equal ones once. What was not brought comes again; one that nobody can read too. */
export const bring = (messages: ReadonlyArray<HintMessage>, deliver: (hint: Hint) => Promise<void>) =>
  Effect.forEach(
    Map.groupBy(messages, ({ body, id }) => (isHint(body) ? JSON.stringify(body) : id)).values(),
    (equal) =>
      Effect.flatMap(decode(equal[0]?.body), (hint) => Effect.tryPromise(() => deliver(hint))).pipe(
        Effect.matchEffect({
          onSuccess: () => Effect.sync(() => equal.forEach((message) => message.ack())),
          onFailure: (problem) =>
            Effect.andThen(
              Effect.logWarning("a hint could not be brought", problem),
              Effect.sync(() => equal.forEach((message) => message.retry()))
            )
        })
      ),
    { concurrency: "unbounded", discard: true }
  )

/** A message that its queue gave up. */
export type DeadHint = Pick<HintMessage, "id" | "body">

const subjectOf = (hint: Hint): string =>
  hint._tag === "Moved" ? `${hint.projectId}/moved` : `${hint.projectId}/${hint.what.join(",")}`

/** The command that a person may have done in its place. One that cannot be read can only be forgotten. */
const commandOf = ({ body, id }: DeadHint): NewCommand =>
  isHint(body)
    ? { kind: "project.hint", id: commandId("project.hint", subjectOf(body)), payload: { hint: body } }
    : {
        kind: "project.hint",
        id: commandId("project.hint", `unreadable/${id}`),
        payload: { message: body ?? null },
        maxAttempts: 1
      }

const problem = "the queue could not bring it, however often it tried: the log of the script canonical says why"

/**
 * Makes a dead letter of the directory of it. Doing so again leaves one letter; where a person has it tried right now, that
 * try says how it ends.
 */
export const bury = Effect.fnUntraced(function* (dead: DeadHint) {
  const command = commandOf(dead)
  const lease = { commandId: command.id, token: crypto.randomUUID() }
  yield* (yield* Ledger).commit({
    name: "HintConsumer.bury",
    projectId: null,
    commands: [{ ...command, leasedBy: { token: lease.token, leaseMs: Limits.commandLeaseMs } }]
  })
  const { fail } = yield* Commands
  yield* Effect.catchTag(fail(lease, problem, null), "LeaseLost", () => Effect.void)
})

/** The hint of a dead letter that is tried again. Fails with words for a message that cannot be read. */
export const hintOf = (payload: Readonly<Record<string, unknown>>): Effect.Effect<Hint, string> =>
  Effect.mapError(decode(payload["hint"]), () => "nobody can read this message: it can be forgotten")
