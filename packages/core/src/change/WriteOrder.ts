/**
 * The order of planned Tasks that would meet in the same files: it needs no model, so it is not left to one. Of Tasks
 * that write the same path one comes after the other, and a migration comes before what reads it. Pure.
 */
import { isWritable } from "../model/Task.ts"
import { inOrder, type PlannedTask } from "./WorkGraph.ts"

/** A path as a planner names it, as a file or a folder: without `./` before it and wildcards behind it. */
const placeOf = (path: string): string =>
  path
    .replace(/^(\.?\/)+/, "")
    .replace(/(\/?\*+)+(\.[^/]*)?$/, "")
    .replace(/\/+$/, "")

/** Whether one path is the other, or lies in it. An empty one is the whole source. */
const meets = (one: string, other: string): boolean => {
  const [a, b] = [placeOf(one), placeOf(other)]
  return a === "" || b === "" || a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
}

/** Whether two lists of paths, files and folders, have something in common. */
export const overlaps = (some: ReadonlyArray<string>, others: ReadonlyArray<string>): boolean =>
  some.some((one) => others.some((other) => meets(one, other)))

/** What a Task writes. A kind that only reads writes nothing, whatever was planned. */
const writesOf = ({ kind, writes }: PlannedTask): ReadonlyArray<string> => (isWritable(kind) ? writes : [])

/** The keys that each Task waits for, by its key. New ones may be added. */
type Waits = ReadonlyMap<string, Set<string>>

/** Whether a Task comes after another, near or far. */
const isAfter = (waits: Waits, key: string, other: string): boolean => {
  const reached = new Set(waits.get(key))
  for (const each of reached) for (const further of waits.get(each) ?? []) reached.add(further)
  return reached.has(other)
}

/** One Task after the other, unless they have an order. */
const order = (waits: Waits, first: string, second: string): void => {
  if (!isAfter(waits, first, second) && !isAfter(waits, second, first)) waits.get(second)?.add(first)
}

/**
 * The same Tasks, in Work Graph order, with what they must wait for besides. Only dependencies are added, and never a
 * cycle: an order that was planned stays. The graph must be one that can be worked.
 */
export const withWriteOrder = (tasks: ReadonlyArray<PlannedTask>): ReadonlyArray<PlannedTask> => {
  const planned = inOrder(tasks)
  const waits = new Map(planned.map(({ dependsOn, key }) => [key, new Set(dependsOn)]))
  const migrations = planned.filter(({ kind }) => kind === "migrate")
  for (const migration of migrations)
    for (const reader of planned)
      if (reader !== migration && overlaps(migration.writes, [...(reader.reads ?? []), ...writesOf(reader)]))
        order(waits, migration.key, reader.key)
  // From the nearest on, so that a row of writers becomes a chain and not a crowd of arrows.
  for (const [at, second] of planned.entries())
    for (const first of planned.slice(0, at).toReversed())
      if (overlaps(writesOf(first), writesOf(second))) order(waits, first.key, second.key)
  return inOrder(planned.map((task) => ({ ...task, dependsOn: [...(waits.get(task.key) ?? task.dependsOn)] })))
}
