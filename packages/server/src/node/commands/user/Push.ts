/** `pawl push`: files of a working folder, or the commits of a clone, as a ChangeSet. */
import { randomUUID } from "node:crypto"
import { verification } from "./Candidates.ts"
import { cloneRoot, credentialSettings, git, gitConfig } from "./Git.ts"
import { everyItem } from "./Pages.ts"
import { pushedFiles } from "./PushedFiles.ts"
import { exitCodes, misused, Refused } from "./Refused.ts"
import type { Answer } from "./Routes.ts"
import { demandToken } from "./Signed.ts"
import type { Outcome, Run, Session } from "./Verb.ts"
import { deadlineOf } from "./Waiting.ts"

type ChangeSet = Answer<"changesets.create">["changeset"]

/** Where a clone keeps the Change that its branch is for; null on no branch. */
const branchKey = (): string | null => {
  const { code, stdout } = git(["symbolic-ref", "--short", "-q", "HEAD"])
  return code === 0 ? `branch.${stdout.trim()}.pawlChange` : null
}

const closed = new Set<Answer<"changes.get">["change"]["status"]>([
  "completed",
  "failed",
  "cancelled",
  "releasing",
  "promoting"
])

/** Opens one. What came to nothing leaves none behind: it would take the next push, under this goal. */
const withNewChange = async <A>(
  { client, project, tell }: Session,
  goal: string,
  work: (id: string) => Promise<A>
): Promise<A> => {
  const { ask } = client()
  const body = { clientRequestId: randomUUID(), goal, budget_usd: 1, startPlanning: false }
  const { change } = await ask("changes.create", { id: await project.id(), body })
  tell(`Change ${change.id}  ${goal}`)
  try {
    return await work(change.id)
  } catch (thrown) {
    const sent = await ask("changesets.list", { id: change.id, query: { limit: 1 } }).catch(() => null)
    const isEmpty = sent?.items.length === 0
    // Why nothing was sent is told, whatever becomes of this.
    const isGone = isEmpty && (await ask("changes.cancel", { id: change.id }).catch(() => null)) !== null
    if (isGone) tell(`Change ${change.id} is cancelled: nothing was sent to it`)
    throw thrown
  }
}

/** Does it with the Change that was named, or the one of the branch while it is open, or a new one. */
const withChange = async (
  session: Session,
  inClone: boolean,
  goal: string,
  work: (id: string) => Promise<ChangeSet>
): Promise<ChangeSet> => {
  const { client, value } = session
  const named = value("change")
  if (named !== undefined) return work(named)
  const key = inClone ? branchKey() : null
  const kept = key === null ? undefined : gitConfig(key)
  if (kept !== undefined) {
    const { change } = await client().ask("changes.get", { id: kept })
    if (!closed.has(change.status)) return work(kept)
  }
  const made = await withNewChange(session, goal, work)
  if (key !== null) git(["config", key, made.changeId])
  return made
}

/** git pushes to the Change's ref; which ChangeSet that made is asked. */
const pushedCommits = async (
  { client, environment, warn }: Session,
  projectId: string,
  changeId: string
): Promise<ChangeSet> => {
  const { address, ask } = client()
  const settings = credentialSettings(address).flatMap(([key, value]) => ["-c", `${key}=${value}`])
  const { code, stderr } = git(
    [...settings, "push", "-q", "--", `${address}/git/${projectId}.git`, `HEAD:refs/changes/${changeId}`],
    { ...process.env, PAWL_URL: address, PAWL_TOKEN: demandToken(address, environment), GIT_TERMINAL_PROMPT: "0" }
  )
  if (code !== 0) throw new Refused("push_refused", stderr.trim() || `git ended with ${code}`, exitCodes.no)
  const id = /Recorded as ChangeSet ([^\s,.]+)/.exec(stderr)?.[1]
  const all = await everyItem((cursor) => ask("changesets.list", { id: changeId, query: { limit: 100, cursor } }))
  const made = all.find((each) => each.id === id) ?? all.at(-1)
  if (made === undefined) throw new Refused("push_refused", `nothing was recorded: ${stderr.trim()}`, exitCodes.no)
  if (id === undefined) warn(stderr.trim())
  return made
}

const lineOf = ({ files, id }: ChangeSet): string => {
  const [added, removed] = files.reduce(
    ([plus, minus], each) => [plus + each.additions, minus + each.deletions],
    [0, 0]
  )
  return `ChangeSet ${id}  ${files.length} ${files.length === 1 ? "file" : "files"}, +${added} −${removed}`
}

const recorded = async (session: Session): Promise<ChangeSet> => {
  const { client, given, project, value, values } = session
  const root = cloneRoot()
  const message = value("message")
  const deleted = values("delete")
  if (given.length > 0 || deleted.length > 0) {
    if (message === undefined) throw misused('say what it does: -m "…"')
    const files = pushedFiles(root ?? process.cwd(), root !== null, given, deleted)
    return withChange(
      session,
      root !== null,
      message,
      async (id) => (await client().ask("changesets.create", { id, body: { message, files } })).changeset
    )
  }
  if (root === null) throw misused("name the files to push, or push from within a clone")
  const last = git(["log", "-1", "--format=%s"]).stdout.trim()
  const projectId = await project.id()
  return withChange(session, true, message ?? last, (id) => pushedCommits(session, projectId, id))
}

/** Records it; with `--candidate` it is checked too. */
export const push: Run = async (session): Promise<Outcome> => {
  const { client, has, tell, value } = session
  const deadline = deadlineOf(value)
  const changeset = await recorded(session)
  const line = lineOf(changeset)
  if (!has("candidate"))
    return {
      json: { changeset },
      text: line,
      next: [{ command: `pawl candidate create ${changeset.changeId}`, when: "it is to be checked" }]
    }
  tell(line)
  const { candidate } = await client().ask("candidates.create", { id: changeset.changeId, body: {} })
  const checked = await verification(session, candidate, deadline)
  return { ...checked, json: { changeset, ...checked.json }, text: `${line}\n${checked.text ?? ""}` }
}
