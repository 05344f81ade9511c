/**
 * Where repositories lie: `<shard>/<project>/canon.git` and `<shard>/<project>/forks/<fork>.git`. The shard is
 * the first two hex digits of the Project's random UUID. Nothing but a well-formed id ever becomes a path.
 */
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { CandidateId, ProjectId, RunId } from "@pawl/core/primitives/Ids"
import type { RepositoryRef } from "@pawl/core/project/Repositories"

/** Where one repository lies, and what it is. Paths are absolute when the root is. */
export interface RepositoryPath {
  readonly project: string
  /** The fork's name, or the Project's id for the canonical repository. */
  readonly name: string
  readonly projectDir: string
  readonly canonDir: string
  /** The repository itself. */
  readonly gitDir: string
  readonly isFork: boolean
}

/** Whether the text is the id of a Project. */
export const isProject: (text: string) => boolean = Schema.is(ProjectId)
const isRun = Schema.is(RunId)
const isCandidate = Schema.is(CandidateId)

/** Whether the text is the name of a fork. */
export const isForkName = (name: string): boolean =>
  name.startsWith("ws-") ? isRun(name.slice(3)) : name.startsWith("cand-") && isCandidate(name.slice(5))

/** The paths of a repository. A name that is no id is a defect: callers hold ids, not texts. */
export const repositoryPath = (root: string, { fork, project }: RepositoryRef): Effect.Effect<RepositoryPath> =>
  Effect.suspend(() => {
    if (!isProject(project) || (fork !== undefined && !isForkName(fork)))
      return Effect.die(new Error("not the name of a repository"))
    const projectDir = join(root, project.slice(5, 7), project)
    const canonDir = join(projectDir, "canon.git")
    const gitDir = fork === undefined ? canonDir : join(projectDir, "forks", `${fork}.git`)
    return Effect.succeed({ project, name: fork ?? project, projectDir, canonDir, gitDir, isFork: fork !== undefined })
  })

/** Whether the text is a git object id, and so safe among git's arguments. */
export const isObjectId = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)
