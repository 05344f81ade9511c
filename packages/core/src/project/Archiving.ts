/** Archiving a Project: it takes no more work, its hosts answer 410 at once, and what it holds is cleaned away. */
import { Effect } from "effect"
import type { Actor } from "../model/Actor.ts"
import { PointerSignal } from "../app/PointerSignal.ts"
import { removal } from "../app/Removal.ts"
import { commandId } from "../model/Command.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Deciding.ts"
import * as Time from "../primitives/Time.ts"
import { touchHead } from "./HeadGuard.ts"

/** Archives a Project and answers it. A repeat answers the same. Processes that run for it end quietly. */
export const archive = (actor: Actor, projectId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const project = yield* demand("project", projectId)
      if (project.record.status === "archived") return { answer: project.record }
      const now = yield* Time.now
      const archived = { ...project.record, status: "archived" as const, updatedAt: now }
      const app = yield* removal(projectId)
      return {
        answer: archived,
        commit: {
          name: "Archiving.archive",
          projectId,
          writes: [
            Commit.update("project", project, archived),
            ...(yield* touchHead(projectId)),
            ...(app?.writes ?? [])
          ],
          events: [{ type: "project.archived" as const, subject: projectId, data: { slug: archived.slug }, actor }],
          commands: [cleanup(projectId)]
        }
      }
    })
  ).pipe(
    Effect.tap((project) => Effect.flatMap(PointerSignal, (signal) => signal.moved(project.label))),
    Effect.withSpan("Archiving.archive", { attributes: { projectId } })
  )

/** The command that cleans an archived Project away. */
export const cleanup = (projectId: string) => ({
  kind: "project.cleanup" as const,
  id: commandId("project.cleanup", projectId),
  payload: { projectId }
})
