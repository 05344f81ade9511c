/** What must be there before the wrong callers come. */
import { Effect, Redacted } from "effect"
import { generate, recordOf } from "@pawl/core/access/Tokens"
import * as Commit from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { commandId } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"

/** The id of a dead letter of a Project. */
export const deadLetterOf = (projectId: string) =>
  Effect.gen(function* () {
    const id = commandId("forks.sweep", `${projectId}/1`)
    yield* (yield* Ledger).commit({
      name: "test",
      projectId,
      commands: [{ kind: "forks.sweep", id, payload: {}, maxAttempts: 1 }]
    })
    const commands = yield* Commands
    const [leased] = yield* commands.claim({ worker: "test", kinds: ["forks.sweep"], limit: 1, leaseMs: 1000 })
    if (leased !== undefined) yield* commands.fail(leased.lease, "it broke", 0)
    return id
  })

/** A token that ended before it was made. */
export const expiredToken = (userId: string) =>
  Effect.gen(function* () {
    const text = yield* generate
    const record = yield* recordOf(userId as `usr_${string}`, text, {
      name: "old",
      expiresAt: "2020-01-01T00:00:00.000Z"
    })
    yield* (yield* Ledger).commit({ name: "test", projectId: null, writes: [Commit.insert("token", record)] })
    return Redacted.value(text)
  })
