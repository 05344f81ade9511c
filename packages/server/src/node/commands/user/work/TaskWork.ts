/** One Task from its claim to its end: the agent is started, and what it leaves is pushed and published, or given up. */
import { ServerLimits } from "../../../../ServerLimits.ts"
import { exitCodes, Refused } from "../Refused.ts"
import type { Answer } from "../Routes.ts"
import type { Session } from "../Verb.ts"
import { runAcp } from "./AcpAgent.ts"
import type { AgentEnd } from "./AgentChild.ts"
import type { AgentProgram } from "./Agents.ts"
import { runPlain } from "./PlainAgent.ts"
import { openFolder, type TaskFolder } from "./TaskFolder.ts"
import { keepLease } from "./TaskLease.ts"

type Claimed = Answer<"outside.claim">
type Brief = Answer<"outside.brief">

/** What became of a Task. */
export interface Worked {
  readonly taskId: string
  readonly runId: string
  readonly outcome: "published" | "gave_up" | "lease_lost" | "interrupted"
  /** Why it was not published; null when it was. */
  readonly reason: string | null
  /** The ChangeSet; null when there is none. */
  readonly changeset: string | null
}

/** What a Task is worked with. */
export interface Working {
  readonly session: Session
  readonly program: AgentProgram
  readonly root: string
  /** Aborted when the person wants to stop. */
  readonly interrupted: AbortSignal
}

const readOnly = new Set(["research", "review", "docs-review"])

const configOf = (url: string, token: string): string =>
  `${JSON.stringify({ mcpServers: { pawl: { type: "http", url, headers: { Authorization: `Bearer ${token}` } } } }, null, 2)}\n`

/** Whatever an agent says, its Task's token is in nothing that this command prints or sends. */
const withoutToken =
  (token: string) =>
  (text: string): string =>
    text.replaceAll(token, "[token]")

const agentEnd = async (
  { interrupted, program, session }: Working,
  { token, run }: Claimed,
  { text }: Brief,
  { configFile, source }: TaskFolder,
  lost: AbortSignal
): Promise<AgentEnd> => {
  const clean = withoutToken(token)
  const late = AbortSignal.timeout(ServerLimits.workAgentMs)
  const end = await (program.speaksAcp ? runAcp : runPlain)({
    program,
    folder: source,
    brief: text,
    mcp: { url: `${session.client().address}/mcp`, token, configFile },
    taskId: run.taskId,
    allowsCommands: session.has("allow-commands"),
    environment: session.environment,
    stop: AbortSignal.any([interrupted, lost, late]),
    tell: (line) => session.tell(`${program.name}: ${clean(line)}`)
  })
  if (end._tag === "Stopped" && late.aborted)
    return { _tag: "Failed", reason: `${program.name} took longer than ${ServerLimits.workAgentMs / 60_000} minutes` }
  if (end._tag === "Failed") return { ...end, reason: clean(end.reason) }
  return end._tag === "Done" ? { ...end, text: clean(end.text) } : end
}

const published = async ({ session }: Working, { run }: Claimed, message: string): Promise<Worked> => {
  const { changeset } = await session.client().ask("outside.publish", { id: run.id, body: { message } })
  return { taskId: run.taskId, runId: run.id, outcome: "published", reason: null, changeset: changeset?.id ?? null }
}

/** The agent may have ended the run itself, by its tools. */
const endedByAgent = async (working: Working, claimed: Claimed): Promise<Worked | null> => {
  const { run } = claimed
  const { items } = await working.session.client().ask("tasks.runs", { id: run.taskId, query: { limit: 100 } })
  const now = items.find(({ id }) => id === run.id)
  if (now === undefined || now.endedAt === null) return null
  // Asked again, it is answered as it was.
  if (now.outcome === "completed") return published(working, claimed, "")
  return {
    taskId: run.taskId,
    runId: run.id,
    outcome: now.reason?.startsWith("given up") === true ? "gave_up" : "lease_lost",
    reason: now.reason ?? "the run is over",
    changeset: null
  }
}

const givenUp = async (
  { session }: Working,
  { run }: Claimed,
  reason: string,
  outcome: Worked["outcome"] = "gave_up"
): Promise<Worked> => {
  const ids = { taskId: run.taskId, runId: run.id, reason, changeset: null }
  try {
    await session.client().ask("outside.giveUp", { id: run.id, body: { reason } })
    return { ...ids, outcome }
  } catch (error) {
    // The lease ends by itself, and the Task is ready again then.
    if (error instanceof Refused) return { ...ids, outcome: outcome === "interrupted" ? outcome : "lease_lost" }
    throw error
  }
}

/** What is made of what the agent left. */
const taken = async (
  working: Working,
  claimed: Claimed,
  brief: Brief,
  folder: TaskFolder,
  end: AgentEnd & { _tag: "Done" }
) => {
  const { tell } = working.session
  const ended = await endedByAgent(working, claimed)
  if (ended !== null) return ended
  if (readOnly.has(brief.task.kind))
    return end.text === ""
      ? givenUp(working, claimed, "the agent found nothing to say")
      : published(working, claimed, end.text)
  const message = await folder.commit(brief.task.title)
  if (message === null) return givenUp(working, claimed, "the agent changed nothing")
  tell(`pushing to ${claimed.git.ref}`)
  await folder.push()
  return published(working, claimed, message)
}

const within = async (working: Working, claimed: Claimed, folder: TaskFolder, brief: Brief, lost: AbortSignal) => {
  const end = await agentEnd(working, claimed, brief, folder, lost)
  const { run } = claimed
  if (lost.aborted)
    return (
      (await endedByAgent(working, claimed)) ??
      ({
        taskId: run.taskId,
        runId: run.id,
        outcome: "lease_lost",
        reason: String(lost.reason),
        changeset: null
      } satisfies Worked)
    )
  if (end._tag === "Stopped") return givenUp(working, claimed, "interrupted", "interrupted")
  if (end._tag === "Failed") return (await endedByAgent(working, claimed)) ?? givenUp(working, claimed, end.reason)
  return taken(working, claimed, brief, folder, end)
}

/** Claims a Task and works it to its end. Refused when it cannot be claimed. */
export const workTask = async (working: Working, taskId: string): Promise<Worked> => {
  const { interrupted, root, session } = working
  const client = session.client()
  const claimed = await client.ask("outside.claim", { id: taskId })
  const { git, leaseUntil, run, token } = claimed
  const lease = keepLease(client, run.id, leaseUntil)
  let folder: TaskFolder | undefined
  try {
    session.tell(`${taskId} is claimed, until ${leaseUntil} and on`)
    const brief = await client.ask("outside.brief", { id: run.id })
    // A token is for the server that was named, whatever that calls itself.
    const url = `${client.address}${new URL(git.url).pathname}`
    folder = await openFolder(root, run.id, { url, ref: git.ref, token }, configOf(`${client.address}/mcp`, token))
    if (interrupted.aborted) return await givenUp(working, claimed, "interrupted", "interrupted")
    return await within(working, claimed, folder, brief, lease.lost)
  } catch (error) {
    const reason = withoutToken(token)(error instanceof Error ? error.message : String(error))
    const isOurs = error instanceof Refused && error.exitCode === exitCodes.cannotAsk
    const given = await givenUp(working, claimed, reason).catch(() => null)
    if (given === null || isOurs) throw error
    return given
  } finally {
    lease.release()
    folder?.remove()
  }
}
