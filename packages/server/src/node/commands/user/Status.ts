/** `pawl status`. */
import { ServerLimits } from "../../../ServerLimits.ts"
import { candidateNow, candidatesOf, isUnderWay, short, verification } from "./Candidates.ts"
import { everyItem } from "./Pages.ts"
import { exitCodes, type ExitCode } from "./Refused.ts"
import type { Answer } from "./Routes.ts"
import type { UserClient } from "./UserClient.ts"
import type { Outcome, Run, Session } from "./Verb.ts"
import { deadlineOf, until } from "./Waiting.ts"

type Change = Answer<"changes.get">["change"]

/**
 * Each status of a Change: it is `over`, somebody must do something before more happens (`waits`), or it goes on by
 * itself. A test holds it to the table of its life, which takes longer to load than a verb may take to start.
 */
export const standings: Readonly<Record<Change["status"], "over" | "waits" | "goes on">> = {
  created: "waits",
  compiling: "goes on",
  running: "goes on",
  budget_blocked: "waits",
  verifying: "goes on",
  awaiting_approval: "waits",
  promoting: "goes on",
  releasing: "goes on",
  completed: "over",
  failed: "over",
  cancelled: "over"
}

const isOver = ({ status }: Change): boolean => standings[status] === "over"

const openStatuses = Object.entries(standings).flatMap(([status, standing]) => (standing === "over" ? [] : [status]))

/** Whether all of its ChangeSets were sent by people, who ask for a Candidate themselves: agents' Tasks ask by themselves. */
const isByPeople = async (client: UserClient, id: string): Promise<boolean> => {
  const all = await everyItem((cursor) => client.ask("changesets.list", { id, query: { limit: 100, cursor } }))
  return all.every(({ author }) => author.type === "user")
}

const exitCodeOf = async (client: UserClient, { id, status }: Change, candidate: Outcome | null): Promise<ExitCode> => {
  if (status === "completed") return exitCodes.yes
  if (status === "failed" || status === "cancelled" || status === "budget_blocked") return exitCodes.no
  if (status === "verifying") {
    if (candidate !== null) return candidate.exitCode ?? exitCodes.yes
    return (await isByPeople(client, id)) ? exitCodes.yes : exitCodes.stillRunning
  }
  return standings[status] === "waits" ? exitCodes.yes : exitCodes.stillRunning
}

const outcomeOf = async (client: UserClient, change: Change): Promise<Outcome> => {
  const newest = (await candidatesOf(client, change.id)).at(-1)
  const shown = newest === undefined ? null : await candidateNow(client, newest)
  return {
    json: { change, ...(shown?.json ?? { candidate: null, evidence: [] }) },
    text: [`${change.id}  ${change.status}  ${change.goal}`, ...(shown?.text === undefined ? [] : [shown.text])].join(
      "\n"
    ),
    exitCode: await exitCodeOf(client, change, shown),
    next:
      shown?.next ??
      (isOver(change)
        ? []
        : [
            ...(change.status === "verifying"
              ? [{ command: `pawl candidate create ${change.id}`, when: "its ChangeSets are to be checked" }]
              : []),
            { command: `pawl push <files> -m "…" --change ${change.id}`, when: "you have an edit" }
          ])
  }
}

/** Whether nothing more happens by itself, so that what was read of the Change is what it stays at. */
const isSettled = async (client: UserClient, change: Change): Promise<boolean> => {
  const standing = standings[change.status]
  if (standing === "over" || standing === "waits") return true
  if (change.status !== "verifying") return false
  const newest = (await candidatesOf(client, change.id)).at(-1)
  if (newest === undefined) return isByPeople(client, change.id)
  if (isUnderWay(newest) || newest.status === "stale") return false
  // What ended the Candidate may have moved the Change on since it was read: then its new status is still to be told.
  const { change: now } = await client.ask("changes.get", { id: change.id })
  return now.status === change.status
}

const ofChange = async ({ client, has, tell }: Session, id: string, deadline: number): Promise<Outcome> => {
  let told = ""
  if (!has("watch")) return outcomeOf(client(), (await client().ask("changes.get", { id })).change)
  const change = await until(deadline, `${id} is still worked on`, async () => {
    const { change: now } = await client().ask("changes.get", { id })
    if (now.status !== told) tell(`${id}  ${now.status}`)
    told = now.status
    return (await isSettled(client(), now)) ? now : null
  })
  return outcomeOf(client(), change)
}

/** The open Changes of a Project, the newest first, and one more than are shown. */
const openChanges = (client: UserClient, id: string): Promise<ReadonlyArray<Change>> =>
  everyItem(
    (cursor) => client.ask("changes.list", { id, query: { status: openStatuses, limit: 100, cursor } }),
    ServerLimits.statusChanges + 1
  )

/** Until none of the open Changes goes on by itself. */
const watched = async ({ client, tell }: Session, id: string, deadline: number): Promise<void> => {
  let told: ReadonlyMap<string, string> = new Map()
  let moving = ""
  await until(deadline, "work goes on", async () => {
    const open = await openChanges(client(), id)
    for (const { id: each, status: now } of open) if (told.get(each) !== now) tell(`${each}  ${now}`)
    const now = new Map<string, string>(open.map((change) => [change.id, change.status]))
    // Of more than are looked at, the oldest ones are only out of sight.
    const isAll = open.length <= ServerLimits.statusChanges
    for (const each of told.keys()) if (isAll && !now.has(each)) tell(`${each}  over`)
    told = now
    // The one that moved when it was looked at last is asked about first: mostly it still does.
    for (const change of open.toSorted((one, other) => Number(other.id === moving) - Number(one.id === moving)))
      if (!(await isSettled(client(), change))) {
        moving = change.id
        return null
      }
    return open
  })
}

const ofProject = async (session: Session, id: string, deadline: number): Promise<Outcome> => {
  const { client, has, warn } = session
  const most = ServerLimits.statusChanges
  if (has("watch")) await watched(session, id, deadline)
  const [{ canonical, project }, { app }, found] = await Promise.all([
    client().ask("projects.get", { id }),
    client().ask("apps.get", { id }),
    openChanges(client(), id)
  ])
  const open = found.slice(0, most)
  if (found.length > most) warn(`more than ${most} Changes are open: the newest ${most} are shown`)
  const head = canonical === null ? "no source" : `S${canonical.generation} ${short(canonical.commit)}`
  return {
    json: { project, canonical, app, changes: open, hasMoreChanges: found.length > most },
    table: {
      head: ["what", "status", "about"],
      rows: [
        [project.label, project.status, head],
        ["app", app?.status ?? "none", app?.url ?? ""],
        ...open.map(({ goal, id: each, status }) => [each, status, goal])
      ]
    }
  }
}

/** Of a Change, a Candidate or the Project. */
export const status: Run = async (session) => {
  const {
    client,
    given: [name],
    has,
    project,
    value
  } = session
  const deadline = deadlineOf(value)
  if (name === undefined) return ofProject(session, await project.id(), deadline)
  if (!name.startsWith("cand_")) return ofChange(session, name, deadline)
  const { candidate } = await client().ask("candidates.get", { id: name })
  return has("watch") ? verification(session, candidate, deadline) : candidateNow(client(), candidate)
}
