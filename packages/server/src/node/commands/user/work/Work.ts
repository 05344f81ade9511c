/** `pawl work`: takes ready Tasks, and has an agent of this machine work them. */
import { setTimeout as pause } from "node:timers/promises"
import { ServerLimits } from "../../../../ServerLimits.ts"
import { exitCodes, misused, Refused } from "../Refused.ts"
import type { Outcome, Run, Session } from "../Verb.ts"
import { agentNamed } from "./Agents.ts"
import { sweepFolders, workFolder } from "./TaskFolder.ts"
import { type Worked, workTask, type Working } from "./TaskWork.ts"

const cellsOf = ({ changeset, outcome, reason, taskId }: Worked): ReadonlyArray<string> => [
  taskId,
  outcome,
  changeset ?? "",
  reason ?? ""
]

const nextOf = ({ outcome, taskId }: Worked) =>
  outcome === "published"
    ? [
        {
          command: `pawl status ${/^tsk_(chg_[0-9a-f-]{36})_/.exec(taskId)?.[1] ?? "<change>"} --watch`,
          when: "to see its checks"
        }
      ]
    : [{ command: `pawl work --task ${taskId} --agent <agent>`, when: "it is to be tried again" }]

/** What one Task came to, as the end of the command. */
const outcomeOf = (worked: Worked): Outcome => {
  if (worked.outcome === "published")
    return { json: worked, text: cellsOf(worked).join("\t").trimEnd(), next: nextOf(worked) }
  const { changeset: _, outcome, reason, ...facts } = worked
  const code = outcome === "interrupted" ? exitCodes.interrupted : exitCodes.no
  throw new Refused(outcome, `${worked.taskId}: ${reason ?? outcome}`, code, nextOf(worked), { ...facts, reason })
}

/** The Tasks of a Project that are ready, oldest first. */
const readyTasks = async ({ client }: Session, projectId: string): Promise<ReadonlyArray<string>> => {
  const query = { status: "ready", limit: ServerLimits.workTasksLooked }
  const { items } = await client().ask("tasks.ofProject", { id: projectId, query })
  return items.map(({ id }) => id)
}

/** Works the first Task that can be claimed; null when there is none. What is in `tried` is left to others. */
const workNext = async (working: Working, projectId: string, tried: ReadonlySet<string>): Promise<Worked | null> => {
  const refusals: Array<Refused> = []
  for (const taskId of await readyTasks(working.session, projectId)) {
    if (working.interrupted.aborted) return null
    if (tried.has(taskId)) continue
    try {
      return await workTask(working, taskId)
    } catch (error) {
      // Somebody else was faster, or it waits for another one.
      if (!(error instanceof Refused) || error.code !== "not_claimable") throw error
      refusals.push(error)
    }
  }
  for (const { message } of refusals) working.session.tell(message)
  return null
}

const interruption = (): Refused =>
  new Refused("interrupted", "interrupted: no Task is in its hands", exitCodes.interrupted)

/** Works Task after Task, and waits for more, until somebody interrupts it. */
const workOn = async (working: Working, projectId: string): Promise<never> => {
  const { interrupted, session } = working
  // Of one that came to nothing here, another try would too: it is somebody else's.
  const tried = new Set<string>()
  for (;;) {
    const worked = await workNext(working, projectId, tried)
    if (worked !== null) session.line(worked, cellsOf(worked))
    if (worked !== null && worked.outcome !== "published") tried.add(worked.taskId)
    if (interrupted.aborted) throw interruption()
    if (worked === null) {
      session.tell("no Task is ready: looking again")
      await pause(ServerLimits.workLookMs, undefined, { signal: interrupted }).catch(() => undefined)
    }
  }
}

/** The first interruption stops the agent and gives its Task up; a second one ends at once. */
const interruptions = (): AbortSignal => {
  const stopped = new AbortController()
  const stop = () => {
    if (stopped.signal.aborted) process.exit(exitCodes.interrupted)
    stopped.abort()
  }
  process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", stop)
  return stopped.signal
}

/** One Task with `--task`, `--next` or `--once`; else one after the other. */
export const work: Run = async (session) => {
  const { environment, has, value } = session
  const named = value("task")
  for (const other of ["next", "once"])
    if (named !== undefined && has(other)) throw misused(`--task names the Task: leave --${other} away`)
  const program = agentNamed(value("agent"), has("acp"), environment)
  const root = workFolder(environment)
  const working: Working = { session, program, root, interrupted: interruptions() }
  sweepFolders(root)
  if (named !== undefined) return outcomeOf(await workTask(working, named))
  const projectId = await session.project.id()
  if (!has("next") && !has("once")) return workOn(working, projectId)
  const worked = await workNext(working, projectId, new Set())
  if (working.interrupted.aborted && worked === null) throw interruption()
  if (worked !== null) return outcomeOf(worked)
  throw new Refused("nothing_ready", "no Task of this Project can be claimed now", exitCodes.no, [
    { command: "pawl work --agent <agent>", when: "to wait for one" }
  ])
}
