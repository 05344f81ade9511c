/** Where each Task stands in the picture of a Work Graph: what comes later stands further to the right. */

/** What of a Task the picture needs. */
export interface GraphTask {
  readonly key: string
  readonly dependsOn: ReadonlyArray<string>
}

/** A Task in the picture; from its left upper corner. */
export interface Node<T> {
  readonly task: T
  readonly x: number
  readonly y: number
}

/** A line from a Task to one that waits for it, as the path of an SVG. */
export interface Edge {
  readonly id: string
  readonly path: string
}

/** The picture. */
export interface Graph<T> {
  readonly nodes: ReadonlyArray<Node<T>>
  readonly edges: ReadonlyArray<Edge>
  readonly width: number
  readonly height: number
}

/** How large a Task is, and how far it stands from its neighbours. */
export const measures = { width: 190, height: 54, across: 44, down: 14, margin: 4 } as const

/** Tasks that the picture has room for. A list has all. */
export const mostTasks = 12

/** In which column each Task stands: one after the last of those that it waits for. What waits for itself stands first. */
const columnsOf = (tasks: ReadonlyArray<GraphTask>): ReadonlyMap<string, number> => {
  const byKey = new Map(tasks.map((task) => [task.key, task]))
  const columns = new Map<string, number>()
  const columnOf = (key: string, above: ReadonlySet<string>): number => {
    const known = columns.get(key)
    if (known !== undefined) return known
    const before = (byKey.get(key)?.dependsOn ?? []).filter((each) => byKey.has(each) && !above.has(each))
    const below = new Set(above).add(key)
    const column = Math.max(0, ...before.map((each) => columnOf(each, below) + 1))
    columns.set(key, column)
    return column
  }
  for (const { key } of tasks) columnOf(key, new Set())
  return columns
}

const curve = (from: Node<GraphTask>, to: Node<GraphTask>): string => {
  const [x1, y1] = [from.x + measures.width, from.y + measures.height / 2]
  const [x2, y2] = [to.x, to.y + measures.height / 2]
  const bend = (x1 + x2) / 2
  return `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`
}

/** The picture of these Tasks. Those of a column stand in their order, and columns in the middle of the tallest one. */
export const graphOf = <T extends GraphTask>(tasks: ReadonlyArray<T>): Graph<T> => {
  const columns = columnsOf(tasks)
  const byColumn = new Map<number, Array<T>>()
  for (const task of tasks) {
    const column = columns.get(task.key) ?? 0
    byColumn.set(column, [...(byColumn.get(column) ?? []), task])
  }
  const { across, down, height, margin, width } = measures
  const tall = (count: number) => count * height + Math.max(0, count - 1) * down
  const tallest = Math.max(0, ...Array.from(byColumn.values(), (each) => tall(each.length)))
  const nodes = Array.from(byColumn, ([column, inColumn]) =>
    inColumn.map((task, row): Node<T> => ({
      task,
      x: margin + column * (width + across),
      y: margin + (tallest - tall(inColumn.length)) / 2 + row * (height + down)
    }))
  ).flat()
  const nodeOf = new Map(nodes.map((node) => [node.task.key, node]))
  const edges = nodes.flatMap((to) =>
    to.task.dependsOn.flatMap((key): ReadonlyArray<Edge> => {
      const from = nodeOf.get(key)
      return from === undefined ? [] : [{ id: `${key} ${to.task.key}`, path: curve(from, to) }]
    })
  )
  const deepest = Math.max(-1, ...byColumn.keys())
  return {
    nodes,
    edges,
    width: deepest < 0 ? 0 : (deepest + 1) * (width + across) - across + 2 * margin,
    height: tallest + 2 * margin
  }
}
