/** Whoever works on a Project of a fleet: asks for Changes through the APIs, and remembers every answer. */
import { setTimeout as pause } from "node:timers/promises"
import { lanePolicy, type Line } from "../../e2e/kit/LaneFacts.ts"
import { type Caller, Refused } from "./Caller.ts"
import type { Remembered } from "./LineChecker.ts"

/** What a customer is to do. */
export interface Order {
  readonly slug: string
  /** How many Changes. */
  readonly count: number
  /** Which of them fails its check; 0 for none. */
  readonly bad: number
  /** How many may be under way at a time. */
  readonly atOnce: number
}

/** A Project, its Changes so far, and the address of its app. */
export interface Customer {
  readonly projectId: string
  readonly url: string
  readonly changes: ReadonlyArray<Remembered>
  /** Looks which of them have landed or were rejected meanwhile. */
  readonly look: () => Promise<void>
  /** Asks for all Changes of the order, some at a time; resolves when the last was acknowledged. */
  readonly work: () => Promise<void>
}

/** An app of files alone, whose check refuses a file of one name. */
const files = {
  "pawl.json": JSON.stringify({
    checks: [{ id: "test", command: "test ! -e bad.txt" }],
    probes: [{ path: "/0.txt", status: 200 }]
  }),
  "wrangler.json": JSON.stringify({ compatibility_date: "2026-01-01", assets: { directory: "public" } }),
  "public/0.txt": "the first\n"
}

/** Milliseconds between two looks. */
const lookMs = 700

/** Creates, or finds what was created and not acknowledged. */
const createdProject = async (api: Caller, slug: string): Promise<string> => {
  try {
    return (await api.send<{ project: { id: string } }>("POST", "/v1/projects", { slug, files })).project.id
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409) throw error
    const { items } = await api.get<{ items: ReadonlyArray<{ id: string; slug: string }> }>("/v1/projects?limit=100")
    const found = items.find((each) => each.slug === slug)
    if (found === undefined) throw error
    return found.id
  }
}

/** Records an edit. It has no key of its own: before it is sent again, the Change is asked whether it has it. */
const edit = async (api: Caller, changeId: string, message: string, edited: Readonly<Record<string, string>>) => {
  const path = `/v1/changes/${changeId}/changesets`
  for (;;) {
    const { items } = await api.get<{ items: ReadonlyArray<{ message: string }> }>(path)
    if (items.some((each) => each.message === message)) return
    const { status, text } = await api.once("POST", path, { message, files: edited })
    if (status === 201) return
    if (status >= 400 && status < 500 && status !== 429) throw new Refused(status, text)
  }
}

/** A live app of a new Project, whose lane is on. */
const opened = async (api: Caller, slug: string): Promise<{ readonly projectId: string; readonly url: string }> => {
  const projectId = await createdProject(api, slug)
  for (;;) {
    const { app } = await api.get<{ app: { status: string; url: string } | null }>(`/v1/projects/${projectId}/app`)
    if (app?.status === "live") {
      await api.send("PUT", `/v1/projects/${projectId}/policy`, lanePolicy)
      return { projectId, url: app.url }
    }
    await pause(lookMs)
  }
}

/** Opens a Project, whose app is live then. */
export const open = async (api: Caller, { atOnce, bad, count, slug }: Order): Promise<Customer> => {
  const { projectId, url } = await opened(api, slug)
  const changes: Array<Remembered> = []
  const look = async () => {
    const { ended } = await api.get<Line>(`/v1/projects/${projectId}/lane`)
    const atMs = performance.now()
    for (const [index, change] of changes.entries()) {
      const entry = ended.find(({ changeId }) => changeId === change.changeId)
      if (entry?.state === "rejected") changes[index] = { ...change, isRejected: true }
      const generation = entry?.state === "landed" ? entry.outcome?.generation : undefined
      if (generation !== undefined && change.landed === null)
        changes[index] = { ...change, landed: { atMs, generation } }
    }
  }
  const underWay = () => changes.filter(({ isRejected, landed }) => landed === null && !isRejected).length
  const change = async (n: number) => {
    const name = `${slug} ${n}`
    const sent = { clientRequestId: name, goal: name, budget_usd: 1, startPlanning: false }
    const at = `/v1/projects/${projectId}/changes`
    const { id } = (await api.send<{ change: { id: string } }>("POST", at, sent)).change
    const [path, text] = [`public/${n}.txt`, `${name}, ${id}\n`]
    await edit(api, id, name, { [path]: text, ...(n === bad ? { "bad.txt": "bad" } : {}) })
    changes.push({ changeId: id, path, text, askedMs: performance.now(), landed: null, isRejected: false })
    await api.send("POST", `/v1/changes/${id}/land`, {}).catch((error: unknown) => {
      // It landed, or was rejected, and the answer to the first asking was lost.
      if (!(error instanceof Refused) || error.status !== 409) throw error
    })
  }
  const work = async () => {
    for (let n = 1; n <= count; n++) {
      await change(n)
      while (n < count && underWay() >= atOnce) {
        await look()
        if (underWay() >= atOnce) await pause(lookMs)
      }
    }
  }
  return { projectId, url, changes, look, work }
}
