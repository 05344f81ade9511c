/** Whether a caller who was let in would be let in again: for answers that go on for long. */
import { Effect } from "effect"
import { find } from "../ledger/Decision.ts"
import * as Time from "../primitives/Time.ts"
import { callerIn } from "./Sessions.ts"
import { agentOf, type Caller, callerOf, letIn, Unauthenticated } from "./Tokens.ts"

/** Fails with `Unauthenticated` when a caller who was let in would not be any more. */
export const requireStillIn = Effect.fnUntraced(function* ({ run, token, user }: Caller) {
  if (run !== undefined) {
    const now = yield* find("taskRun", run.id)
    return yield* now === null ? new Unauthenticated({ reason: "unknown" }) : agentOf(now.record)
  }
  if (token.id.startsWith("ses_")) {
    const session = yield* find("session", token.id)
    return yield* session === null ? new Unauthenticated({ reason: "ended" }) : callerIn(session.record)
  }
  if (token.id.startsWith("tok_")) {
    const found = yield* find("token", token.id)
    return yield* found === null ? new Unauthenticated({ reason: "unknown" }) : callerOf(found.record)
  }
  // A provider's token has no row: it says itself until when it counts.
  if (token.expiresAt !== null && token.expiresAt <= (yield* Time.now))
    return yield* new Unauthenticated({ reason: "expired" })
  return { user: yield* letIn(user.id), token } satisfies Caller
})
