/** How far lists across Projects are behind the Projects, whose objects the directory follows: in workerd, all on this machine. */
import { install, type Installed } from "../../deploy/cloudflare/Here.ts"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"
import type { DemoApi } from "@pawl/server/node/demo/DemoApi"
import { type Bench, figure, valueAtMost } from "../Figure.ts"
import { type Followed, follow } from "../parts/Followed.ts"
import { lastly, median, timed, worst } from "../Rounds.ts"

const projectCount = 5
/** Changes that are opened in each Project in a round, and how many of them at once: the others one after the other. */
const opened = 5
const openedAtOnce = 3
/** The same of Candidates that are rejected. */
const decided = 2
const decidedAtOnce = 1
const quietReads = 10
const targetMs = 1000

interface Listed {
  readonly items: ReadonlyArray<{ readonly id: string; readonly counts: { readonly openChanges: number } }>
}

interface Inbox {
  readonly items: ReadonlyArray<{ readonly kind: string; readonly changeId: string | null }>
}

/** What waits for a decision. */
interface Waiting {
  readonly changeId: string
  readonly candidateId: string
}

const projectsOf = (api: DemoApi) => () => api.get<Listed>("/v1/projects?include=counts")
const inboxOf = (api: DemoApi) => () => api.get<Inbox>("/v1/inbox")

const openIn = ({ items }: Listed, projectId: string): number =>
  items.find(({ id }) => id === projectId)?.counts.openChanges ?? 0

const waits = ({ items }: Inbox, { changeId }: Waiting): boolean =>
  items.some((item) => item.kind === "approval" && item.changeId === changeId)

/** A Project in which each Candidate waits for a person, whatever its risk. */
const projectIn = async (api: DemoApi, slug: string): Promise<string> => {
  const files = Flow.source("one", { "pawl.json": JSON.stringify({ probes: [{ path: "/", status: 200 }] }) })
  const { id } = await Flow.createProject(api, slug, files)
  await Flow.liveApp(api, id, 0)
  const { policy } = await api.get<{ policy: object }>(`/v1/projects/${id}/policy`)
  await api.put(`/v1/projects/${id}/policy`, { ...policy, approvalRiskTiers: ["low", "medium", "high"] })
  return id
}

const waitingIn = async (api: DemoApi, projectId: string, name: string): Promise<Waiting> => {
  const change = await Flow.openChange(api, projectId, name)
  await Flow.edit(api, change, { "public/hello.txt": `${name}\n` })
  const { id: candidateId } = await Flow.requestCandidate(api, change)
  await Flow.gated(api, candidateId)
  return { changeId: change.id, candidateId }
}

/** Does as much of everything: the first parts one after the other, the others at once. */
const some = async (parts: ReadonlyArray<() => Promise<void>>, atOnce: number): Promise<void> => {
  const first = parts.length - atOnce
  for (const part of parts.slice(0, first)) await part()
  await Promise.all(parts.slice(first).map((part) => part()))
}

/** Opens Changes in all Projects: how long after the kth of one was acknowledged the list counted k more there, in ms. */
const openAll = async (api: DemoApi, projects: ReadonlyArray<string>, list: Followed<Listed>, round: number) => {
  const before = await projectsOf(api)()
  const known = new Map(projects.map((id) => [id, openIn(before, id)]))
  const shown: Array<Promise<number>> = []
  const parts = Array.from({ length: opened }, (_, n) =>
    projects.map((id) => async () => {
      await Flow.openChange(api, id, `opened-${round}-${n}`)
      const least = (known.get(id) ?? 0) + 1
      known.set(id, least)
      shown.push(list.until((found) => openIn(found, id) >= least))
    })
  )
  await some(parts.flat(), openedAtOnce * projects.length)
  return Promise.all(shown)
}

/** Rejects what waits: how long after each was acknowledged the Inbox no longer asked for it, in ms. */
const decideAll = async (api: DemoApi, all: ReadonlyArray<Waiting>, list: Followed<Inbox>) => {
  const shown: Array<Promise<number>> = []
  const parts = all.map((waiting) => async () => {
    const { candidateId, changeId } = waiting
    await api.post(`/v1/changes/${changeId}/approve`, { candidateId, decision: "rejected" })
    shown.push(list.until((found) => !waits(found, waiting)))
  })
  await some(parts, decidedAtOnce * projectCount)
  return Promise.all(shown)
}

/** Candidates that wait for a person in all Projects, once the Inbox has them. */
const waitingInAll = async (api: DemoApi, projects: ReadonlyArray<string>, round: number) => {
  const all: Array<Waiting> = []
  for (let n = 0; n < decided; n++)
    all.push(...(await Promise.all(projects.map((id) => waitingIn(api, id, `waits-${round}-${n}`)))))
  await Flow.until(inboxOf(api), (found) => all.every((each) => waits(found, each)))
  return all
}

/** What one read of a list takes while nothing moves, in ms. */
const quiet = async (read: () => Promise<unknown>): Promise<number> => {
  const times: Array<number> = []
  for (let n = 0; n < quietReads; n++) times.push(await timed(read))
  return median(times)
}

/** While somebody reads a list over and over. */
const following = <A>(read: () => Promise<A>, act: (list: Followed<A>) => Promise<ReadonlyArray<number>>) => {
  const list = follow(read)
  return lastly(act(list), list.end)
}

/** How far a list was behind, each time, and what one read of it takes, in ms. */
interface Behind {
  readonly times: Array<number>
  readonly reads: Array<number>
}

/** Of one installation. */
interface Seen {
  readonly opened: Behind
  readonly decided: Behind
}

const seenIn = async ({ api }: Pick<Installed, "api">, rounds: number, say: (progress: string) => void) => {
  const seen: Seen = { opened: { times: [], reads: [] }, decided: { times: [], reads: [] } }
  const projects: Array<string> = []
  for (let n = 0; n < projectCount; n++) projects.push(await projectIn(api, `listed-${n}`))
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? "warming up" : `round ${round} of ${rounds}`)
    const all = await waitingInAll(api, projects, round)
    const reads = { opened: await quiet(projectsOf(api)), decided: await quiet(inboxOf(api)) }
    const times = {
      opened: await following(projectsOf(api), (list) => openAll(api, projects, list, round)),
      decided: await following(inboxOf(api), (list) => decideAll(api, all, list))
    }
    for (const what of round === 0 ? [] : (["opened", "decided"] as const)) {
      seen[what].reads.push(reads[what])
      seen[what].times.push(...times[what])
    }
  }
  return seen
}

const figuresOf = (name: string, list: string, { reads, times }: Behind) => {
  const sorted = times.toSorted((one, other) => one - other)
  const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Infinity
  const floorValue = median(reads)
  const common = { unit: "ms", floor: `one read of ${list}`, floorValue, target: valueAtMost(targetMs, "ms") }
  return [
    figure({ ...common, name: `${name}-p99`, value: p99, ratio: p99 / floorValue }),
    figure({ ...common, name: `${name}-worst`, value: worst(times), ratio: worst(times) / floorValue })
  ]
}

const figuresIn = (where: string, { decided: decisions, opened: changes }: Seen) => [
  ...figuresOf(`workerd-opened${where}`, "the list of Projects", changes),
  ...figuresOf(`workerd-decided${where}`, "the Inbox", decisions)
]

const told = ({ decided: decisions, opened: changes }: Seen): string => {
  const middle = ({ times }: Behind) =>
    `${times.length}, of which the middle one was ${median(times).toFixed(0)} ms behind`
  return `Changes that were opened: ${middle(changes)}; Candidates that were rejected: ${middle(decisions)}.`
}

export const bench: Bench = async ({ rounds, say }) => {
  const on = async (losesMessages: boolean, name: string) => {
    const here = await install({ checks: null }, { losesMessages })
    return lastly(
      seenIn(here, rounds, (progress) => say(`${name}: ${progress}`)),
      here.close
    )
  }
  const usual = await on(false, "with its queue")
  const unhinted = await on(true, "whose queue loses all")
  return {
    figures: [...figuresIn("", usual), ...figuresIn("-unhinted", unhinted)],
    notes: [
      `In ${projectCount} Projects. ${told(usual)}`,
      `With a queue that loses every hint: ${told(unhinted)}`,
      "The queue of hints is the simulator's, which brings a message at once: how long one of Cloudflare takes was never measured."
    ]
  }
}
