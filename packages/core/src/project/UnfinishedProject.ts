/** Ends a Project whose provisioning died and was dismissed by a person: it never was, or it is archived. */
import { Effect } from "effect"
import type { Actor } from "../model/Actor.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { archive } from "./Archival.ts"
import type { Project } from "../model/Project.ts"

/** Archives a Project that is still being provisioned. Of one that was never stored, its slug may be used again. */
export const giveUp = (actor: Actor, project: Pick<Project, "id" | "organizationId" | "slug">) =>
  Effect.gen(function* () {
    const stored = yield* find("project", project.id)
    if (stored?.record.status === "provisioning") yield* archive(actor, project.id)
    if (stored !== null) return
    yield* decideAndCommit(
      Effect.gen(function* () {
        const key = `${project.organizationId}/${project.slug}`
        const slug = yield* find("slug", key)
        if (slug?.record.projectId !== project.id) return { answer: undefined }
        return {
          answer: undefined,
          commit: {
            name: "Projects.giveUp",
            projectId: null,
            writes: [{ _tag: "Delete" as const, kind: "slug" as const, id: key, revision: slug.revision }]
          }
        }
      })
    )
  }).pipe(Effect.withSpan("Projects.giveUp", { attributes: { projectId: project.id } }))
