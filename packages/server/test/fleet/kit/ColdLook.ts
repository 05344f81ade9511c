/** What a machine that never saw a Project has of it: git's own copy, and what the API tells. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Generation } from "@pawl/core/model/Generation"
import { token } from "../../e2e/kit/ServerProcess.ts"
import { type GitClient, gitUrl } from "../../e2e/kit/GitClient.ts"
import type { Caller, Door } from "./Caller.ts"
import type { Line } from "./LineChecker.ts"

/** The line of a Project, cloned from an API into a new folder of git's client, each object of which git has judged. */
export const lineOf = async (api: Caller, door: Door, git: GitClient, projectId: string): Promise<Line> => {
  const cloned = await git.clone(gitUrl(`http://${door.host}:${door.port}`, projectId, token), projectId)
  if (cloned.code !== 0) throw new Error(`${projectId} cannot be cloned: ${cloned.output}`)
  await git.git(projectId, "fsck", "--full", "--strict")
  const chain = (await git.git(projectId, "rev-list", "--first-parent", "--reverse", "HEAD")).split("\n")
  const paths = (await git.git(projectId, "ls-tree", "-r", "--name-only", "HEAD")).split("\n")
  const { items } = await api.get<{ items: ReadonlyArray<Generation> }>(`/v1/projects/${projectId}/versions?limit=100`)
  return {
    projectId,
    generations: items.toSorted((a, b) => a.generation - b.generation),
    chain,
    files: new Map(paths.map((path) => [path, readFileSync(join(git.path(projectId), path), "utf8")]))
  }
}

/** What an audit of a Project finds. */
export const findingsOf = async (api: Caller, projectId: string): Promise<ReadonlyArray<unknown>> =>
  (await api.send<{ audit: { findings: ReadonlyArray<unknown> } }>("POST", `/v1/projects/${projectId}/audit`, {})).audit
    .findings
