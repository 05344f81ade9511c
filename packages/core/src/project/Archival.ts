/** Archiving a Project: it takes no more work, its hosts answer 410 at once, and what it holds is cleaned away. */
import { Effect } from "effect"
import type { Actor } from "../model/Actor.ts"
import { PointerSignal } from "../app/PointerSignal.ts"
import { takeDownApp } from "../app/Removal.ts"
import { commandId } from "../model/Command.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import * as Time from "../primitives/Time.ts"
import { touchHead } from "./HeadGuard.ts"

/** Archives a Project and answers it. A repeat answers the same. Processes that run for it end quietly. */
export const archive = (actor: Actor, projectId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const project = yield* demand("project", projectId)
      if (project.record.status === "archived") return { answer: project.record }
      const draft = Draft.begin(projectId, actor, yield* Time.now)
      const archived = { status: "archived" as const, updatedAt: draft.now }
      const { record } = Draft.update(draft, "project", project, archived)
      Draft.add(draft, ...(yield* touchHead(projectId)))
      yield* takeDownApp(draft)
      Draft.emit(draft, "project.archived", projectId, { slug: record.slug })
      Draft.send(draft, projectCleanup(projectId))
      return { answer: record, commit: Draft.end(draft, { name: "Archiving.archive" }) }
    })
  ).pipe(
    Effect.tap((project) => Effect.flatMap(PointerSignal, (signal) => signal.moved(project.label))),
    Effect.withSpan("Archiving.archive", { attributes: { projectId } })
  )

/** The command that cleans an archived Project away. */
export const projectCleanup = (projectId: string) => ({
  kind: "project.cleanup" as const,
  id: commandId("project.cleanup", projectId),
  payload: { projectId }
})
