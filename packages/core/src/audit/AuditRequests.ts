/**
 * Once a day every active Project is audited: the body of `project.audits` sends a `project.audit` to each, a page at a
 * time. Who wants a generation built again asks for one of its own.
 */
import { Effect, Schema } from "effect"
import { commandId } from "../model/Command.ts"
import { generationKey } from "../model/Entities.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Records } from "../ledger/Records.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
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

/**
 * Asks for an audit that builds a generation again, the newest where none is named. Answers which. Fails with
 * `ProjectArchived`, or `Unknown` where there is no such generation.
 */
export const requestRebuild = (projectId: string, asked?: number) =>
  decideAndCommit(
    Effect.gen(function* () {
      const project = yield* demandActive(projectId)
      const generation = asked ?? (yield* find("head", projectId))?.record.generation ?? 0
      yield* demand("generation", generationKey(projectId, generation))
      return {
        answer: { generation },
        commit: {
          name: "AuditRequests.rebuild",
          projectId,
          expects: [unchangedProject(project)],
          commands: [
            {
              kind: "project.audit" as const,
              id: commandId("project.audit", `${projectId}/${generation}`),
              payload: { projectId, rebuild: generation }
            }
          ]
        }
      }
    })
  )
