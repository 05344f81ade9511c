/** One Task of the list. Its runs and notes are asked for when it is opened. */
import { type ReactNode, useState } from "react"
import { withoutCode } from "../change/Next.ts"
import { Id } from "../ui/Id.tsx"
import { Status } from "../ui/Status.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Notes } from "./Notes.tsx"
import { Runs } from "./Runs.tsx"
import { TaskActions } from "./TaskActions.tsx"
import { nextWords, type Task } from "./WorkWords.ts"

/** `isFirst`: it is open from the beginning. */
export const TaskItem = ({ isFirst, task }: { readonly task: Task; readonly isFirst: boolean }): ReactNode => {
  const [isOpen, setOpen] = useState(isFirst)
  const next = nextWords(task)
  return (
    <li className="card task">
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary data-row>
          <span className="task-title">{task.title}</span>
          <span className="task-facts">
            <Tag>{task.kind}</Tag>
            {task.tier === null ? <Tag>person</Tag> : <Tag>tier {task.tier}</Tag>}
            <span>
              {task.attempt} {task.attempt === 1 ? "run" : "runs"}
            </span>
            {task.dependsOn.length === 0 ? null : <span>after {task.dependsOn.join(", ")}</span>}
          </span>
          <Status of={task.status} />
        </summary>
        {isOpen ? (
          <div className="task-body">
            <p className="work-note">
              <code>{task.key}</code> <Id id={task.id} label="Task" />
            </p>
            {task.reason === null ? null : <p>{withoutCode(task.reason)}</p>}
            {next === null ? null : <p className="work-note">{next}</p>}
            <TaskActions task={task} />
            <Runs task={task} />
            <Notes task={task} />
          </div>
        ) : null}
      </details>
    </li>
  )
}
