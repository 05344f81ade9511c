/**
 * Leads from an id in a path to its record, for a caller whose role on the record's Project covers what the endpoint
 * needs. For anyone without a role there it does not exist.
 */
import { requireRole } from "@pawl/core/access/Access"
import { user } from "@pawl/core/access/Actor"
import { Commands } from "@pawl/core/event/Commands"
import { demand } from "@pawl/core/ledger/Deciding"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { Effect } from "effect"
import { CurrentUser } from "../api/Authentication.ts"
import { Exchange } from "./Exchange.ts"

/** Who acts: from the session, never from a body. */
export const actor = Effect.map(CurrentUser, (caller) => user(caller.user.id))

const needed = Effect.map(Exchange, ({ need }) => need.role ?? ("admin" as const))

export const onProject = (id: string) =>
  Effect.gen(function* () {
    const caller = yield* CurrentUser
    return yield* requireRole(caller.user.id, id, yield* needed)
  })

/** Fails with `Unknown` of what was asked for unless the caller may see its Project. */
const allowed = (projectId: string, asked: { readonly kind: string; readonly id: string }) =>
  Effect.gen(function* () {
    const caller = yield* CurrentUser
    yield* requireRole(caller.user.id, projectId, yield* needed, asked)
  })

export const onChange = (id: string) =>
  Effect.gen(function* () {
    const { record } = yield* demand("change", id)
    yield* allowed(record.projectId, { kind: "change", id })
    return record
  })

export const onCandidate = (id: string) =>
  Effect.gen(function* () {
    const { record } = yield* demand("candidate", id)
    yield* allowed(record.projectId, { kind: "candidate", id })
    return record
  })

export const onChangeSet = (id: string) =>
  Effect.gen(function* () {
    const { record } = yield* demand("changeSet", id)
    yield* allowed(record.projectId, { kind: "changeSet", id })
    return record
  })

export const onEvidence = (id: string) =>
  Effect.gen(function* () {
    const { record } = yield* demand("evidence", id)
    yield* allowed(record.projectId, { kind: "evidence", id })
    return record
  })

export const onWebhook = (id: string) =>
  Effect.gen(function* () {
    const { record } = yield* demand("webhook", id)
    yield* allowed(record.projectId, { kind: "webhook", id })
    return record
  })

/** Letters of the directory belong to no Project and are nobody's here. */
export const onDeadLetter = (id: string) =>
  Effect.gen(function* () {
    const missing = new Unknown({ kind: "dead-letter", id })
    const letter = yield* Effect.flatMap(Commands, (commands) => commands.deadLetter(id)).pipe(
      Effect.catchTag("DeadLetterMissing", () => missing)
    )
    if (letter.projectId === null) return yield* missing
    yield* allowed(letter.projectId, { kind: "dead-letter", id })
    return letter
  })
