/** Once a day every active Project is audited: the body of `project.audits` sends a `project.audit` to each, a page at a time. */
import { Effect, Schema } from "effect"
import { commandId } from "../model/Command.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Records } from "../ledger/Records.ts"
import { pass, passes } from "../upkeep/Pass.ts"

/** The pieces of this upkeep in the journal: each says after which page the next one begins. */
export const auditPasses = passes(Schema.Struct({ after: Schema.NullOr(Schema.String) }))

/** The body of `project.audits`, one message: a page of Projects. An audit that waits already is not sent again. */
export const requestAudits = pass(auditPasses, { after: null }, ({ after }) =>
  Effect.gen(function* () {
    const page = yield* (yield* Records).list("project", {
      where: { status: "active" },
      ...(after === null ? {} : { cursor: after })
    })
    const ledger = yield* Ledger
    for (const { record } of page.items)
      yield* ledger.commit({ name: "AuditRequests.send", projectId: record.id, commands: [auditOf(record.id)] })
    return page.nextCursor === null ? null : { after: page.nextCursor }
  })
).pipe(Effect.withSpan("AuditRequests.requestAudits"))

const auditOf = (projectId: string) => ({
  kind: "project.audit" as const,
  id: commandId("project.audit", projectId),
  payload: { projectId }
})
