/** In which order test files run: long ones first, so that none is left running alone at the end. */
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { longest, longestDeep } from "./Longest.ts"
import { turnOf } from "./Turn.ts"

const list = turnOf(process.env).depth === "quick" ? longest : longestDeep

/** About how many seconds a file takes; what is not in the list is short. */
const secondsOf = ({ moduleId }: TestSpecification): number =>
  list.find(([path]) => moduleId.endsWith(`/${path}`))?.[1] ?? 0

/**
 * Files of one project that share a process stand together: a process goes on with the next file of its project alone.
 * The project with most to do comes last, and has the most short files: a project of one long file would be that tail.
 */
export default class Order extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const totals = new Map<string, number>()
    for (const file of files) totals.set(file.project.name, (totals.get(file.project.name) ?? 0) + secondsOf(file))
    const total = ({ project }: TestSpecification) => totals.get(project.name) ?? 0
    const group = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    return files.toSorted(
      (a, b) =>
        group(a) - group(b) ||
        total(a) - total(b) ||
        a.project.name.localeCompare(b.project.name) ||
        secondsOf(b) - secondsOf(a) ||
        a.moduleId.localeCompare(b.moduleId)
    )
  }
}
