/** What an archived Project refuses: it takes no new work, and stays to be read. */
import { Effect, Schema } from "effect"
import type { CommandKind } from "../model/Command.ts"
import * as Commit from "../ledger/Commit.ts"
import { demand, find } from "../ledger/Decision.ts"
import type { Project } from "../model/Project.ts"

/** The Project is archived: no Change, ChangeSet, Candidate, promotion or deploy is taken any more. */
export class ProjectArchived extends Schema.TaggedError<ProjectArchived>()("ProjectArchived", {
  projectId: Schema.String
}) {
  override get message() {
    return `${this.projectId} is archived. It can be read, and takes no more work.`
  }
}

const refuse = (projectId: string) => (project: Commit.Stored<Project> | null) =>
  project?.record.status === "archived" ? Effect.fail(new ProjectArchived({ projectId })) : Effect.void

/** Fails with `ProjectArchived` when the Project is. */
export const refuseArchived = (projectId: string) => Effect.flatMap(find("project", projectId), refuse(projectId))

/** The Project, or `Unknown`, or `ProjectArchived`. A commit of new work takes `unchangedProject` of it into its expectations. */
export const demandActive = (projectId: string) => Effect.tap(demand("project", projectId), refuse(projectId))

/** The Project is as it was read: archiving it meanwhile makes the decision anew, and then it is refused. */
export const unchangedProject = (project: Commit.Stored<Project>): Commit.Expectation =>
  Commit.unchanged("project", project.record.id, project)

/** What goes on for an archived Project: what cleans it away, ends its releases and its lane, tells of it, or states and signs what was done. All else ends quietly. */
export const kindsAfterArchive: ReadonlyArray<CommandKind> = [
  "app.remove",
  "lane.step",
  "project.cleanup",
  "release.run",
  "release.recover",
  "event.consume",
  "webhook.deliver",
  "project.adopt",
  "statement.sign",
  "checkpoint.publish"
]
