/** Which repositories the rows of a copy name, found as the rows go by. */
import { candidateFork } from "@pawl/core/primitives/Ids"
import type { Kind, RecordOf } from "@pawl/core/model/Entities"
import type { Row } from "@pawl/sql/Database"
import { storedOf } from "@pawl/sql/Tables"
import { Result } from "effect"

/** A repository by its name. */
export interface NamedRepository {
  readonly project: string
  /** Null for canonical. */
  readonly fork: string | null
  /** The commit of the Project's canonical generation; null before the first. */
  readonly main: string | null
}

/** What was seen so far. */
export interface NamedRepositories {
  readonly see: (table: string, row: Row) => void
  /** Each canonical repository before its forks. */
  readonly all: () => ReadonlyArray<NamedRepository>
  /** How many repositories are rows themselves. */
  readonly packed: () => number
}

const recordIn = <K extends Kind>(kind: K, row: Row): RecordOf<K> | null =>
  Result.getOrNull(Result.map(storedOf(kind, row), ({ record }) => record))

/** Nothing was seen yet. */
export const make = (): NamedRepositories => {
  const forks = new Map<string, Array<string>>()
  const mains = new Map<string, string>()
  let packed = 0
  const addFork = (project: string, fork: string) => void forks.set(project, [...(forks.get(project) ?? []), fork])
  return {
    see: (table, row) => {
      if (table === "pawl_repo") packed++
      if (table === "pawl_project") {
        const project = recordIn("project", row)
        if (project !== null && !forks.has(project.id)) forks.set(project.id, [])
      }
      if (table === "pawl_head") {
        const head = recordIn("head", row)
        if (head !== null) mains.set(head.projectId, head.commit)
      }
      if (table === "pawl_task_run") {
        const run = recordIn("taskRun", row)
        if (run !== null && run.workspaceFork !== null && run.forkDeletedAt === null)
          addFork(run.projectId, run.workspaceFork)
      }
      if (table === "pawl_candidate") {
        const candidate = recordIn("candidate", row)
        if (candidate !== null && candidate.forkDeletedAt === null)
          addFork(candidate.projectId, candidateFork(candidate.id))
      }
    },
    all: () =>
      [...forks].flatMap(([project, names]) => {
        const main = mains.get(project) ?? null
        return [null, ...new Set(names)].map((fork) => ({ project, fork, main }))
      }),
    packed: () => packed
  }
}
