import { ChangeLifecycle } from "@pawl/core/model/ChangeLifecycle"
import { describe, expect, it } from "vitest"
import { standings, status } from "../../../../src/node/commands/user/Status.ts"
import type { Session } from "../../../../src/node/commands/user/Verb.ts"
import { ServerLimits } from "../../../../src/ServerLimits.ts"

/** A Project with so many open Changes, and what is said of it. */
const statusOf = async (open: number) => {
  const pages = (cursor: string | undefined) => {
    const from = Number(cursor ?? 0)
    const items = Array.from({ length: Math.min(100, open - from) }, (_, at) => ({ id: `chg_${from + at}` }))
    return { items, nextCursor: from + 100 < open ? String(from + 100) : null }
  }
  const answers: Readonly<Record<string, (cursor?: string) => unknown>> = {
    "projects.get": () => ({ canonical: null, project: { label: "many", status: "active" } }),
    "apps.get": () => ({ app: null }),
    "changes.list": pages
  }
  const warned: Array<string> = []
  const ask = (name: string, asked: { readonly query?: { readonly cursor?: string } }) =>
    Promise.resolve(answers[name]?.(asked.query?.cursor))
  const { json, table } = await status({
    given: [],
    has: () => false,
    value: () => undefined,
    client: () => ({ ask }),
    project: { id: () => Promise.resolve("proj_many") },
    warn: (line: string) => void warned.push(line)
  } as unknown as Session)
  return { json: json as Readonly<Record<string, unknown>>, rows: table?.rows.length ?? 0, warned }
}

describe("The status of a Project", () => {
  it("shows all of its open Changes, page by page", async () => {
    const most = ServerLimits.statusChanges
    expect(await statusOf(most)).toMatchObject({ json: { hasMoreChanges: false }, rows: most + 2, warned: [] })
  })

  it("tells that there are more than it shows", async () => {
    const most = ServerLimits.statusChanges
    const { json, rows, warned } = await statusOf(most + 1)
    expect([json["hasMoreChanges"], rows]).toEqual([true, most + 2])
    expect(warned).toEqual([`more than ${most} Changes are open: the newest ${most} are shown`])
  })
})

describe("What a verb makes of a Change's status", () => {
  it("is over where its life says that nothing follows, and nowhere else", () => {
    const over = Object.entries(standings).flatMap(([name, standing]) => (standing === "over" ? [name] : []))
    expect(over.toSorted()).toEqual(ChangeLifecycle.final.toSorted())
    expect(Object.keys(standings).toSorted()).toEqual(ChangeLifecycle.states.toSorted())
  })
})
