/** The work of a Change: its Tasks as a picture and as a list, their agents, and the money. */
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import type { CallOptions } from "../api/Wire.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Budget } from "./Budget.tsx"
import { GraphPicture } from "./GraphPicture.tsx"
import { TaskItem } from "./TaskItem.tsx"
import { type Task, worthALook } from "./WorkWords.ts"
import "./work.css"

/** All of them: a Work Graph is small, and what people and repairs add is not much. */
const tasksOf = async (id: string, options: CallOptions): Promise<ReadonlyArray<Task>> => {
  const found: Array<Task> = []
  let cursor: string | null = null
  do {
    const query = { limit: 100, ...(cursor === null ? {} : { cursor }) }
    const page: { readonly items: ReadonlyArray<Task>; readonly nextCursor: string | null } = await api.changes.tasks(
      { params: { id }, query },
      options
    )
    found.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  return found
}

const Tasks = ({ tasks }: { readonly tasks: ReadonlyArray<Task> }): ReactNode => {
  const first = worthALook(tasks)
  return tasks.length === 0 ? (
    <Card bare>
      <Empty icon="machine" title="Nobody works on it yet">
        <p>
          A goal is planned into Tasks for agents where a model is set up. What people send as ChangeSets stands here
          too.
        </p>
      </Empty>
    </Card>
  ) : (
    <>
      <Card title="Work Graph">
        <GraphPicture tasks={tasks} />
      </Card>
      <ul role="list" className="tasks" aria-label="Tasks">
        {tasks.map((task) => (
          <TaskItem key={task.id} task={task} isFirst={task.id === first} />
        ))}
      </ul>
    </>
  )
}

/** The tab. It needs no Candidate. */
export default function WorkTab({
  changeId
}: {
  readonly changeId: string
  readonly candidateId: string | null
}): ReactNode {
  const change = useAnswer(
    keys.ofChange(changeId, "budget"),
    async (options) => (await api.changes.get({ params: { id: changeId } }, options)).change
  )
  const tasks = useAnswer(keys.ofChange(changeId, "tasks", "all"), (options) => tasksOf(changeId, options))
  return (
    <div className="work-tab">
      <Answered query={change} lines={1}>
        {(found) => <Budget change={found} />}
      </Answered>
      <Answered query={tasks}>{(found) => <Tasks tasks={found} />}</Answered>
    </div>
  )
}
