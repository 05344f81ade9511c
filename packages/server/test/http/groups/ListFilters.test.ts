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
