/** `pawl change create`, `list`, `view`, `cancel`. */
import { randomUUID } from "node:crypto"
import { candidatesOf, short } from "./Candidates.ts"
import { countOf } from "./Numbers.ts"
import { everyItem } from "./Pages.ts"
import { exitCodes, misused, Refused } from "./Refused.ts"
import type { Run } from "./Verb.ts"

/** Opens one. Asked twice it opens two: each has a request id of its own. */
export const create: Run = async ({ client, given: [goal = ""], has, project, value }) => {
  const budget = Number(value("budget") ?? 1)
  if (!Number.isFinite(budget)) throw misused(`--budget takes dollars, not "${value("budget")}"`)
  const id = await project.id()
  const body = { clientRequestId: randomUUID(), goal, budget_usd: budget, startPlanning: has("plan") }
  const { change } = await client().ask("changes.create", { id, body })
  return {
    json: { change },
    text: change.id,
    next: [{ command: `pawl push <files> -m "…" --change ${change.id}`, when: "you have an edit" }]
  }
}

/** Newest first. */
export const list: Run = async ({ client, project, value, values }) => {
  const most = countOf(value, "limit", 30)
  const id = await project.id()
  const asked = {
    status: values("status"),
    kind: value("kind"),
    riskTier: values("risk"),
    createdBy: value("created-by"),
    q: value("search"),
    limit: Math.min(most, 100)
  }
  const items = await everyItem((cursor) => client().ask("changes.list", { id, query: { ...asked, cursor } }), most)
  return {
    json: { items },
    table: {
      head: ["id", "status", "risk", "goal", "created"],
      rows: items.map(({ createdAt, goal, id: each, riskTier, status }) => [each, status, riskTier, goal, createdAt])
    }
  }
}

/** With what was made for it. */
export const view: Run = async ({ client, given: [id = ""] }) => {
  const [{ change, overlaps }, candidates, changesets] = await Promise.all([
    client().ask("changes.get", { id }),
    candidatesOf(client(), id),
    everyItem((cursor) => client().ask("changesets.list", { id, query: { limit: 100, cursor } }))
  ])
  const rows = [
    ["change", change.id, change.status, change.goal],
    ...changesets.map(({ files, id: each, message }) => ["changeset", each, `${files.length} files`, message]),
    ...candidates.map(({ base_generation, id: each, status, tree }) => [
      "candidate",
      each,
      status,
      `on S${base_generation}, tree ${short(tree)}`
    ])
  ]
  return {
    json: { change, overlaps, changesets, candidates },
    table: { head: ["what", "id", "status", "about"], rows },
    next: [{ command: `pawl status ${id}`, when: "to see where it stands" }]
  }
}

/** Ends it, once somebody said so. */
export const cancel: Run = async ({ client, given: [id = ""], again, has, person }) => {
  const { change: found } = await client().ask("changes.get", { id })
  if (
    !has("yes") &&
    !(await person.agrees(`Cancel ${id}, "${found.goal}"?`, "give --yes", [
      { command: again("--yes"), when: "that is what you want" }
    ]))
  )
    throw new Refused("not_confirmed", "nobody said yes: nothing was cancelled", exitCodes.no)
  const { change } = await client().ask("changes.cancel", { id })
  return { json: { change }, text: `${change.id}\t${change.status}` }
}
