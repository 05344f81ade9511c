/** The Work Graph as a picture. The list beside it says the same. */
import type { ReactNode } from "react"
import { lookOf } from "../ui/StatusTone.ts"
import { graphOf, measures, mostTasks } from "./GraphLayout.ts"
import { cutTo, type Task } from "./WorkWords.ts"

const Box = ({ task, x, y }: { readonly task: Task; readonly x: number; readonly y: number }): ReactNode => {
  const { tone, words } = lookOf(task.status)
  return (
    <g data-tone={tone} data-status={task.status}>
      <title>{`${task.title}: ${words}`}</title>
      <rect x={x} y={y} width={measures.width} height={measures.height} rx={6} />
      <path d={`M${x + 10} ${y + 12}v${measures.height - 24}`} />
      <text x={x + 20} y={y + 23}>
        {cutTo(task.title, 17)}
      </text>
      <text x={x + 20} y={y + 41} className="graph-status">
        {cutTo(`${words} · ${task.kind}`, 25)}
      </text>
    </g>
  )
}

/** It scrolls within itself where it is wider than the page. */
export const GraphPicture = ({ tasks }: { readonly tasks: ReadonlyArray<Task> }): ReactNode => {
  if (tasks.length > mostTasks)
    return <p className="work-note">The picture has room for {mostTasks} Tasks. The list has all of them.</p>
  const { edges, height, nodes, width } = graphOf(tasks)
  return (
    <div className="work-graph" tabIndex={0} role="region" aria-label="Picture of the Work Graph">
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${tasks.length} ${tasks.length === 1 ? "Task" : "Tasks"}, each after those that it waits for. The list below says the same.`}
      >
        {edges.map(({ id, path }) => (
          <path key={id} d={path} className="graph-edge" />
        ))}
        {nodes.map(({ task, x, y }) => (
          <Box key={task.id} task={task} x={x} y={y} />
        ))}
      </svg>
    </div>
  )
}
