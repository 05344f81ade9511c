/** The Work Graph of a Change: what a planner proposes, and what makes it one that can be worked (decisions, "Records"). */
import { Result, Schema } from "effect"
import { ChangeId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { inWords, shapeProblems, telling } from "../primitives/ShapeProblems.ts"
import { Complexity, isPlanned, isRepair, isRepairKey, type Task, TaskKind } from "../model/Task.ts"

/** A Task as a planner proposes it. */
export const PlannedTask = Schema.Struct({
  /** `[a-z0-9-]{1,40}`, unique in the graph. `edit-<n>` belongs to people, `repair-<n>` to what mends a Candidate. */
  key: Schema.String,
  title: Schema.String,
  kind: TaskKind,
  complexity: Complexity,
  instructions: Schema.String,
  /** Keys of the Tasks that must be completed first. */
  dependsOn: Schema.Array(Schema.String),
  /** Paths that it is expected to read. A hint for planning. Not there in graphs of earlier versions. */
  reads: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Paths that it is expected to write. A hint for planning, not a permission. */
  writes: Schema.Array(Schema.String)
})
export interface PlannedTask extends Schema.Schema.Type<typeof PlannedTask> {}

/** The Tasks of a Change as they were accepted. It does not change any more. */
export const WorkGraph = Schema.Struct({
  version: Schema.Literal(1),
  changeId: ChangeId,
  baseGeneration: Schema.Finite,
  /** In Work Graph order: no Task stands before one that it depends on. */
  tasks: Schema.Array(PlannedTask)
})
export interface WorkGraph extends Schema.Schema.Type<typeof WorkGraph> {}

/** One thing that is wrong with a proposed graph. */
export interface GraphProblem {
  readonly code:
    | "shape"
    | "task_count"
    | "invalid_key"
    | "reserved_key"
    | "duplicate_key"
    | "too_long"
    | "unknown_dependency"
    | "cycle"
  /** In words, with the key of the Task. */
  readonly detail: string
}

/** Where the graph of a Change is stored. */
export const objectKey = (projectId: string, changeId: string): string => `work-graphs/${projectId}/${changeId}.json`

const keyForm = /^[a-z0-9-]{1,40}$/
const personsKey = /^edit-[0-9]+$/

/** Whose keys these are, when no planner may use them. */
const ownerOf = (key: string): string | null =>
  personsKey.test(key) ? "people's edits" : isRepairKey(key) ? "repairs" : null

/**
 * Work Graph order: of the Tasks whose dependencies stand already, the one that was named first. Tasks of a cycle, and
 * those that wait for one, are left out.
 */
export const inOrder = <T extends { readonly key: string; readonly dependsOn: ReadonlyArray<string> }>(
  tasks: ReadonlyArray<T>
): ReadonlyArray<T> => {
  const ordered: Array<T> = []
  const placed = new Set<string>()
  for (;;) {
    const next = tasks.find((task) => !placed.has(task.key) && task.dependsOn.every((key) => placed.has(key)))
    if (next === undefined) return ordered
    placed.add(next.key)
    ordered.push(next)
  }
}

/** The Tasks that are on a cycle, or between two cycles: what waits for a cycle from outside is not named. */
const cyclic = (tasks: ReadonlyArray<PlannedTask>): ReadonlyArray<string> => {
  const known = new Set(tasks.map((task) => task.key))
  const settled = new Set(
    inOrder(tasks.map((task) => ({ ...task, dependsOn: task.dependsOn.filter((key) => known.has(key)) }))).map(
      (task) => task.key
    )
  )
  let left = tasks.filter((task) => !settled.has(task.key))
  for (;;) {
    const needed = new Set(left.flatMap((task) => task.dependsOn))
    const kept = left.filter((task) => needed.has(task.key))
    if (kept.length === left.length) return kept.map((task) => task.key)
    left = kept
  }
}

const keyProblems = (tasks: ReadonlyArray<PlannedTask>): ReadonlyArray<GraphProblem> => {
  const seen = new Set<string>()
  return tasks.flatMap(({ key }): ReadonlyArray<GraphProblem> => {
    const repeated = seen.has(key)
    seen.add(key)
    if (!keyForm.test(key))
      return [{ code: "invalid_key", detail: `${JSON.stringify(key)}: use 1 to 40 of a-z, 0-9 and hyphens` }]
    const owner = ownerOf(key)
    if (owner !== null) return [{ code: "reserved_key", detail: `${key}: such keys are those of ${owner}` }]
    return repeated ? [{ code: "duplicate_key", detail: `${key} names two Tasks` }] : []
  })
}

const sizeProblems = (task: PlannedTask): ReadonlyArray<GraphProblem> => {
  const tooLong = (field: string, max: number): GraphProblem => ({
    code: "too_long",
    detail: `${task.key}: ${field} is over ${max}`
  })
  return [
    ...(task.title.length > Limits.taskTitleLength ? [tooLong("title", Limits.taskTitleLength)] : []),
    ...(task.instructions.length > Limits.taskInstructionsLength
      ? [tooLong("instructions", Limits.taskInstructionsLength)]
      : []),
    ...(["reads", "writes"] as const).flatMap((field) => {
      const paths = task[field] ?? []
      return [
        ...(paths.length > Limits.taskWrites ? [tooLong(field, Limits.taskWrites)] : []),
        ...(paths.some((path) => path.length > Limits.pathLength)
          ? [tooLong(`a path of ${field}`, Limits.pathLength)]
          : [])
      ]
    })
  ]
}

/** Everything that is wrong with these Tasks, at once. None: they can be worked. */
export const problemsOf = (tasks: ReadonlyArray<PlannedTask>): ReadonlyArray<GraphProblem> => {
  const known = new Set(tasks.map((task) => task.key))
  const loop = cyclic(tasks)
  const count: ReadonlyArray<GraphProblem> =
    tasks.length >= 1 && tasks.length <= Limits.tasksPerChange
      ? []
      : [{ code: "task_count", detail: `${tasks.length} Tasks; use 1 to ${Limits.tasksPerChange}` }]
  return [
    ...count,
    ...keyProblems(tasks),
    ...tasks.flatMap(sizeProblems),
    ...tasks.flatMap((task) =>
      task.dependsOn
        .filter((key) => !known.has(key))
        .map((key): GraphProblem => ({
          code: "unknown_dependency",
          detail: `${task.key} depends on ${JSON.stringify(key.slice(0, Limits.repeatedNameLength))}, which is no Task`
        }))
    ),
    ...(loop.length === 0 ? [] : [{ code: "cycle" as const, detail: `these wait for each other: ${loop.join(", ")}` }])
  ]
}

const decodeTasks = Schema.decodeUnknownResult(Schema.Array(PlannedTask), { errors: "all", ...telling })

/** The graph of what a planner proposed, its Tasks in Work Graph order; or all that is wrong with it. */
export const read = (
  changeId: ChangeId,
  baseGeneration: number,
  proposed: unknown
): Result.Result<WorkGraph, ReadonlyArray<GraphProblem>> => {
  const decoded = decodeTasks(proposed)
  if (Result.isFailure(decoded))
    return Result.fail(
      shapeProblems(decoded.failure).map((problem) => ({ code: "shape" as const, detail: inWords(problem) }))
    )
  const problems = problemsOf(decoded.success)
  if (problems.length > 0) return Result.fail(problems)
  const tasks = inOrder(decoded.success).map((task) => ({ ...task, dependsOn: [...new Set(task.dependsOn)] }))
  return Result.succeed({ version: 1, changeId, baseGeneration, tasks })
}

/**
 * ChangeSets in the order in which they compose: repairs, the newest first, since each was made on all that was there;
 * then those of the Work Graph in its order, then people's by creation. Both lists come in order of insertion; the Tasks
 * of a graph are stored in its order.
 */
export const compositionOrder = <C extends { readonly taskId: string }>(
  changeSets: ReadonlyArray<C>,
  tasks: ReadonlyArray<Task>
): ReadonlyArray<C> => {
  const planned = tasks.filter((task) => isPlanned(task) && !isRepair(task))
  const order = [...tasks.filter(isRepair).toReversed(), ...planned].map((task): string => task.id)
  const place = (changeSet: C) => {
    const at = order.indexOf(changeSet.taskId)
    return at === -1 ? order.length : at
  }
  return changeSets.toSorted((a, b) => place(a) - place(b))
}
