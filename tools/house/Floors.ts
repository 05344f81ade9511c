/**
 * The rooms inside the core as floors, from the ground up: things below, doings above. A room may import from those
 * below it. What still runs back up stands in a list that may only shrink.
 */
import type { Finding } from "./Finding.ts"
import { relativePath } from "./ImportPaths.ts"
import { specifiersOf } from "./Specifiers.ts"
import type { OurFile } from "./Workspace.ts"

export interface Floor {
  /** The folder of `packages/core/src`. */
  readonly room: string
  /** What is found there, for the page of the architecture. */
  readonly holds: string
}

/** From the ground up. A new folder of the core begins with a row here. */
export const floors: ReadonlyArray<Floor> = [
  { room: "primitives", holds: "ids, digests, time, limits, words: what knows nothing of the product" },
  { room: "model", holds: "what is stored, on one shelf: each noun's schema and its life" },
  { room: "objects", holds: "the store of immutable bytes" },
  { room: "ledger", holds: "commits, the one port that writes, and what reads its records" },
  { room: "access", holds: "users, tokens, memberships, who may do what" },
  { room: "telemetry", holds: "spans, meters, backlogs" },
  { room: "work", holds: "commands, leases, the journal, processes and the loop that runs them" },
  { room: "provenance", holds: "statements of what was done: their chains, signatures, keys and log" },
  { room: "packages", holds: "npm packages by lock file, and the port that fetches and keeps them" },
  { room: "bundle", holds: "what an app is built into, how it is kept, and the shares of the build budget" },
  { room: "project", holds: "Projects, their sources, repositories, targets and usage" },
  { room: "verification", holds: "verification plans, risk, checks, the sandbox and its budget, the gate" },
  { room: "app", holds: "apps, hosts, versions, previews, data, logs, removal, and the port that runs them" },
  { room: "agent", holds: "the port of models, their turns and what these cost; how an agent talks with one" },
  { room: "claim", holds: "who reads and writes what while Tasks are worked, and what two sides both write" },
  { room: "change", holds: "Changes: planning, Work Graphs, budgets, cancelling" },
  { room: "task", holds: "Tasks: dispatch to agents, workspaces, what follows when one moves" },
  { room: "changeset", holds: "ChangeSets and how they are published" },
  { room: "candidate", holds: "Candidates: composing, verifying, going stale, recomposing" },
  { room: "approval", holds: "Policies, what an approver is owed, and decisions" },
  {
    room: "lane",
    holds: "the line in which Changes land in turn: who stands where, what is predicted, who is to blame"
  },
  { room: "promotion", holds: "promotion and rollback: the only way that the canonical line moves" },
  { room: "release", holds: "releases, smoke tests, recovery, build services, the canonical remote" },
  { room: "event", holds: "the event log, its routing and its consumers" },
  { room: "webhook", holds: "webhooks and their deliveries" },
  { room: "upkeep", holds: "schedules, sweeps, retention, archives of events" },
  { room: "audit", holds: "the second look at a Project's line, by other code" },
  { room: "proof", holds: "the offline verifier: what statements, records and objects must say of each other" },
  { room: "why", holds: "why a Candidate stands where it stands, and what comes next" },
  {
    room: "harness",
    holds:
      "the agent that is built in: what it is told, what its tools do, when its work is done; checks of what agents outside pushed"
  },
  { room: "review", holds: "what a model says of Candidates, for people" },
  { room: "worker", holds: "which use case runs a command, and dead letters" }
]

/** Arrows that run back up, `from>to`. Take one out when it is gone; none may be added. */
export const debts: ReadonlyArray<string> = [
  "telemetry>app",
  "project>app",
  "change>task",
  "change>candidate",
  "task>changeset",
  "task>approval",
  "upkeep>worker"
]

const sources = "packages/core/src/"
const heights = new Map(floors.map(({ room }, height) => [room, height]))
const roomOf = (path: string): string | undefined => /^([^/]+)\//.exec(path.slice(sources.length))?.[1]

interface Arrow {
  readonly from: string
  readonly to: string
  readonly file: string
  readonly line: number
}

const arrowsOf = (file: OurFile): ReadonlyArray<Arrow> => {
  const from = file.path.startsWith(sources) ? roomOf(file.path) : undefined
  if (from === undefined) return []
  return specifiersOf(file.source).flatMap(({ text, line }) => {
    const to = text.startsWith(".") ? roomOf(relativePath(file.path, text)) : undefined
    return to === undefined || to === from ? [] : [{ from, to, file: file.path, line }]
  })
}

const judge = ({ file, from, line, to }: Arrow): Finding | undefined => {
  const [own, other] = [heights.get(from), heights.get(to)]
  const missing = own === undefined ? from : other === undefined ? to : undefined
  const found = { file, line, rule: "floors" }
  if (missing !== undefined)
    return { ...found, message: `${missing} has no floor: add its row to tools/house/Floors.ts` }
  if (own! > other! || debts.includes(`${from}>${to}`)) return undefined
  return { ...found, message: `${from} lies below ${to} and may not import from it` }
}

/** Arrows between the core's rooms that run up, and debts that are paid but still listed. */
export const floorFindings = (files: ReadonlyArray<OurFile>): ReadonlyArray<Finding> => {
  const arrows = files.flatMap(arrowsOf)
  const drawn = new Set(arrows.map(({ from, to }) => `${from}>${to}`))
  // Where the core itself is not there, as in a fixture, nothing was paid.
  const paid = files.some(({ path }) => path === `${sources}index.ts`) ? debts.filter((debt) => !drawn.has(debt)) : []
  return [
    ...arrows.flatMap((arrow) => judge(arrow) ?? []),
    ...paid.map((debt) => ({
      file: "tools/house/Floors.ts",
      line: 0,
      rule: "floors",
      message: `${debt} is not drawn any more: take it out of the list`
    }))
  ]
}
