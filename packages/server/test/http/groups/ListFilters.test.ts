/** Lists that keep some of their records, by what the query says. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, openChange } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

/** The ids on each page of a list, page by page. */
const pagesOf = async (path: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const pages: Array<ReadonlyArray<string>> = []
  let cursor = ""
  do {
    const { body, status } = await api.call("GET", `${path}${cursor}`)
    expect(status).toBe(200)
    pages.push(body.items.map((each: { readonly id: string }) => each.id))
    cursor = body.nextCursor === null ? "" : `&cursor=${body.nextCursor}`
  } while (cursor !== "")
  return pages
}

describe("The Changes of a Project", () => {
  it("are kept by one status or several, in full pages, each once, in either order", async () => {
    const project = await newProject(api, "kept")
    const path = `/v1/projects/${project.id}/changes`
    const ids: Array<string> = []
    for (let n = 0; n < 9; n++) ids.push(await openChange(api, project.id, `r${n}`))
    const cancelled = ids.filter((_, n) => n % 2 === 1)
    const open = ids.filter((_, n) => n % 2 === 0)
    for (const id of cancelled) await api.call("POST", `/v1/changes/${id}/cancel`)

    const newest = open.toReversed()
    expect(await pagesOf(`${path}?status=created&limit=2`)).toEqual([
      newest.slice(0, 2),
      newest.slice(2, 4),
      newest.slice(4)
    ])
    expect(await pagesOf(`${path}?status=cancelled&order=oldest&limit=2`)).toEqual([
      cancelled.slice(0, 2),
      cancelled.slice(2)
    ])
    expect((await pagesOf(`${path}?status=created&status=cancelled&limit=4`)).flat()).toEqual(ids.toReversed())
    expect(await pagesOf(`${path}?status=promoting&limit=2`)).toEqual([[]])
    expect((await pagesOf(`${path}?order=newest&limit=100`)).flat()).toEqual(ids.toReversed())
  })

  it("are kept by kind, risk, who opened them and words, together with status, order and cursors", async () => {
    const project = await newProject(api, "wanted")
    const path = `/v1/projects/${project.id}/changes`
    const open = async (goal: string): Promise<{ readonly id: string; readonly createdBy: { readonly id: string } }> =>
      (await api.call("POST", path, { body: { clientRequestId: goal, goal, budget_usd: 1 } })).body.change
    const shop = await open("Say when the SHOP is open\nand when not")
    const { id: road } = await open("Wide roads: ÜBER die Straße")
    const { id: hours } = await open("the shop's hours")
    const { id: last } = await open("Nothing of that")
    await api.call("POST", `/v1/changes/${hours}/cancel`)

    expect(await pagesOf(`${path}?q=shop&limit=1`)).toEqual([[hours], [shop.id]])
    expect(await pagesOf(`${path}?q=OPEN+shop`)).toEqual([[shop.id]])
    expect(await pagesOf(`${path}?q=%20not%20%20say`)).toEqual([[shop.id]])
    expect(await pagesOf(`${path}?q=${encodeURIComponent("über straße")}`)).toEqual([[road]])
    for (const begins of [last.toUpperCase(), last.slice(0, 20)])
      expect(await pagesOf(`${path}?q=${begins}`)).toEqual([[last]])
    expect(await pagesOf(`${path}?q=shop+${last}`)).toEqual([[]])
    expect(await pagesOf(`${path}?q=shop&status=cancelled`)).toEqual([[hours]])
    expect(await pagesOf(`${path}?q=o&order=oldest&limit=3`)).toEqual([[shop.id, road, hours], [last]])
    expect(await pagesOf(`${path}?createdBy=${shop.createdBy.id}&limit=2`)).toEqual([
      [last, hours],
      [road, shop.id]
    ])
    expect(await pagesOf(`${path}?createdBy=usr_none`)).toEqual([[]])
    expect(await pagesOf(`${path}?kind=goal&kind=rollback&riskTier=unknown&status=created&q=wide`)).toEqual([[road]])
    expect(await pagesOf(`${path}?kind=rollback`)).toEqual([[]])
    expect(await pagesOf(`${path}?riskTier=low&riskTier=high`)).toEqual([[]])
  })

  it("are refused a kind, a risk, an opener or words that cannot be, by name", async () => {
    const path = `/v1/projects/${(await newProject(api, "wrong")).id}/changes`
    const wrong = {
      kind: ["goals", ""],
      riskTier: ["severe"],
      createdBy: ["", "+"],
      q: ["", "%20%09", "x".repeat(201)]
    }
    for (const [field, values] of Object.entries(wrong))
      for (const value of values)
        expectProblem(await api.call("GET", `${path}?${field}=${value}`), 400, "invalid_field", { field })
    const { body } = await api.call("GET", `${path}?riskTier=severe`)
    expect(body.detail).toBe('riskTier: use one of "low", "medium", "high", "unknown".')
    expectProblem(await api.call("GET", `${path}?q=a&q=b`), 400, "invalid_field", { field: "q" })
  })

  it("are refused a status or an order that there is not, by name", async () => {
    const path = `/v1/projects/${(await newProject(api, "named")).id}/changes`
    for (const query of ["status=opened", "status=", "status=created,cancelled"])
      expectProblem(await api.call("GET", `${path}?${query}`), 400, "invalid_field", { field: "status" })
    const second = await api.call("GET", `${path}?status=created&status=opened`)
    expectProblem(second, 400, "invalid_field", { field: "status.1" })
    for (const query of ["order=moved", "order="])
      expectProblem(await api.call("GET", `${path}?${query}`), 400, "invalid_field", { field: "order" })
  })
})

describe("The Candidates of a Change", () => {
  it("are kept by status, and refused one that there is not, by name", async () => {
    const project = await newProject(api, "tried")
    const { candidateId, changeId } = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    const { status } = (await api.call("GET", `/v1/candidates/${candidateId}`)).body.candidate
    const path = `/v1/changes/${changeId}/candidates`
    expect(await pagesOf(`${path}?status=${status}&limit=1`)).toEqual([[candidateId]])
    expect(await pagesOf(`${path}?status=promoted&limit=1`)).toEqual([[]])
    expectProblem(await api.call("GET", `${path}?status=done`), 400, "invalid_field", { field: "status" })
  })
})
