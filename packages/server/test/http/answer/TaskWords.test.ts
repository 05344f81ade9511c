/** What is said of what to do about a Task, word for word. */
import { describe, expect, it } from "vitest"
import { taskStatuses } from "@pawl/core/model/Task"
import { taskInWords } from "@pawl/server/http/answer/TaskWords"

type Named = Parameters<typeof taskInWords>[0]

const changeId = "chg_00000001-0000-4000-8000-000000000000"
const id = `tsk_${changeId}_a` as const
const task = (fields: Partial<Named>): Named => ({ id, changeId, kind: "implement", status: "blocked", ...fields })
const path = `POST /v1/tasks/${id}`
const stops = `${path}/stop stops it.`

const said: ReadonlyArray<readonly [task: Named, words: string]> = [
  [task({ status: "pending" }), `Wait: what it depends on is not completed. ${stops}`],
  [task({ status: "ready" }), `Wait: an agent takes it, or have your own work it (pawl work --task ${id}). ${stops}`],
  [task({ status: "assigned" }), `Wait: an agent takes it. ${stops}`],
  [task({ status: "running" }), `Wait, or tell its agent something: ${path}/notes. ${stops}`],
  [
    task({ status: "failed" }),
    `Its agents could not do it. Take over what depends on it, or cancel the Change (POST /v1/changes/${changeId}/cancel) and open another one.`
  ],
  [task({ status: "completed" }), "Nothing: its work is done."],
  [task({ status: "cancelled" }), "Nothing: it ended with its Change."],
  [task({ blockedBy: "budget" }), `Raise the budget: POST /v1/changes/${changeId}/budget.`],
  [
    task({ blockedBy: "calls" }),
    `Wait: the calls of models of today are used up, and it goes on the next day (UTC), or when PAWL_AGENT_DAILY_CALL_CAP is raised, or do it yourself (${path}/hand-over).`
  ],
  [
    task({ blockedBy: "model" }),
    `Tell whoever runs this server, who can mend how models are asked (pawl doctor); then retry it (${path}/retry), or do it yourself (${path}/hand-over).`
  ],
  [
    task({ blockedBy: "person", heldBy: "usr_1" }),
    `Wait for the ChangeSet of usr_1 with this taskId, or give it back to its agent: ${path}/retry.`
  ],
  [
    task({ blockedBy: "dependency" }),
    `Look at the Tasks that it depends on: it goes on when they do, or do it yourself (${path}/hand-over).`
  ],
  [task({ blockedBy: "stopped" }), `Retry it (${path}/retry), or do it yourself (${path}/hand-over).`],
  [task({ blockedBy: "dead_letter" }), `Retry it (${path}/retry), or do it yourself (${path}/hand-over).`],
  [task({ blockedBy: "stopped", kind: "research" }), `Retry it (${path}/retry).`]
]

describe("What to do about a Task", () => {
  it.each(said)("%o", (each, words) => expect(taskInWords(each)).toBe(words))

  it("is said of each status", () => expect(new Set(said.map(([{ status }]) => status))).toEqual(new Set(taskStatuses)))
})

it("A Task whose model gave no answer says so while it waits, and only then", () => {
  expect(taskInWords(task({ status: "running" }), { unanswered: "it answered 503" })).toBe(
    `Wait: its model gave no answer (it answered 503) and is asked again. ${stops}`
  )
  expect(taskInWords(task({ status: "completed" }), { unanswered: "it answered 503" })).toBe(
    "Nothing: its work is done."
  )
})

it("A Task that is worked outside says whose agent does it, and what becomes of it when that is gone", () =>
  expect(taskInWords(task({ status: "running" }), { outside: "usr_1" })).toBe(
    `Wait: an agent of usr_1's works it outside; it is ready again soon after that agent is gone. ${stops}`
  ))
