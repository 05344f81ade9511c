/** What an archived Project refuses: it takes no new work, and stays to be read. */
import { Effect, Schema } from "effect"
import { demand, find } from "../ledger/Deciding.ts"

/** The Project is archived: no Change, ChangeSet, Candidate, promotion or deploy is taken any more. */
export class ProjectArchived extends Schema.TaggedError<ProjectArchived>()("ProjectArchived", {
  projectId: Schema.String
}) {
  override get message() {
    return `${this.projectId} is archived. It can be read, and takes no more work.`
  }
}

/** Fails with `ProjectArchived` when the Project is. */
export const refuseArchived = (projectId: string) =>
  Effect.flatMap(find("project", projectId), (project) =>
    project?.record.status === "archived" ? Effect.fail(new ProjectArchived({ projectId })) : Effect.void
  )

/** The Project, or `ProjectArchived`. */
export const demandActive = (projectId: string) =>
  Effect.zipLeft(demand("project", projectId), refuseArchived(projectId))
