/** The list of Projects: found by label and by words, with what it is asked to include. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, openChange } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, newUser, startApi } from "../TestApi.ts"

describe("The list of Projects", () => {
  let api: Api
  let projects: ReadonlyArray<{ readonly id: string; readonly label: string }>
  let stranger: { readonly id: string; readonly token: string }
  const list = async (query: string, token?: string) =>
    (await api.call("GET", `/v1/projects${query}`, token === undefined ? {} : { token })).body
  const labels = async (query: string, token?: string) =>
    (await list(query, token)).items.map((each: { readonly label: string }) => each.label)

  beforeAll(async () => {
    api = await startApi()
    const made = []
    for (const slug of ["shop", "shop-two", "blog"]) made.push(await newProject(api, slug))
    projects = made
    stranger = await newUser(api, "Stranger")
    const body = { members: [{ userId: stranger.id, role: "viewer" }] }
    for (const project of projects.slice(1)) await api.call("PUT", `/v1/projects/${project.id}/members`, { body })
  })
  afterAll(() => api.close())

  it("is kept by label: the one, or none where there is none that the caller may see", async () => {
    expect(await list("?label=blog")).toMatchObject({ items: [projects[2]], nextCursor: null })
    for (const query of ["?label=nothing", "?label=SHOP", "?label=blog&q=shop"])
      expect(await list(query)).toEqual({ items: [], nextCursor: null })
    expect(await labels("?label=blog&q=BLO")).toEqual(["blog"])
    expect(await labels("?label=blog", stranger.token)).toEqual(["blog"])
    expect(await labels("?label=shop", stranger.token)).toEqual([])
  })

  it("is kept by words of the name, the slug or the label, or by the id, page by page, of organizations and of entries", async () => {
    expect(await labels("?q=shop")).toEqual(["shop", "shop-two"])
    expect(await labels("?q=TWO+shop")).toEqual(["shop-two"])
    expect(await labels(`?q=${projects[2]!.id}`)).toEqual(["blog"])
    for (const token of [undefined, stranger.token]) {
      const first = await list("?q=o&limit=1", token)
      const seen = [...first.items]
      for (let cursor = first.nextCursor; cursor !== null;) {
        const page = await list(`?q=o&limit=1&cursor=${cursor}`, token)
        seen.push(...page.items)
        cursor = page.nextCursor
      }
      const may = token === undefined ? projects : projects.slice(1)
      expect(seen.map(({ id }) => id)).toEqual(may.map(({ id }) => id))
    }
  })

  it("tells of heads, apps and counts what each Project's own answers tell, and nothing that was not asked for", async () => {
    const [shop, two] = projects as [(typeof projects)[number], (typeof projects)[number]]
    const { candidateId } = await newCandidate(api, shop.id, "r1", { "a.txt": "a" })
    await api.call("POST", `/v1/projects/${shop.id}/app`)
    await api.call("POST", `/v1/candidates/${candidateId}/promote`)
    await api.settle()
    for (const name of ["r2", "r3", "r4"]) await openChange(api, shop.id, name)
    await api.call("POST", `/v1/changes/${await openChange(api, shop.id, "r5")}/cancel`)
    await openChange(api, two.id, "r1")
    const bare = (await api.call("POST", "/v1/projects", { body: { slug: "bare" } })).body.project

    const { items } = await list("?include=head,app,counts")
    const plain = (await list("")).items
    expect(items.map(({ id }: { readonly id: string }) => id)).toEqual([...projects, bare].map(({ id }) => id))
    for (const [index, { app, counts, head, ...project }] of items.entries()) {
      expect(project).toEqual(plain[index])
      const { canonical } = (await api.call("GET", `/v1/projects/${project.id}`)).body
      expect(head).toEqual(canonical)
      const own = (await api.call("GET", `/v1/projects/${project.id}/app`)).body.app
      if (own !== null) delete own.previews
      expect(app).toEqual(own)
      expect(counts).toEqual({
        openChanges: project.id === shop.id ? 3 : project.id === two.id ? 1 : 0,
        laneEntries: 0
      })
    }
    expect(items[0]).toMatchObject({ head: { generation: 1 }, app: { generation: 1, status: "live" } })
    expect(items.at(-1)).toMatchObject({ head: null, app: null })
    const [some] = (await list("?include=counts&label=shop")).items
    expect(some).toEqual({ ...plain[0], counts: { openChanges: 3, laneEntries: 0 } })
    expect((await list("?include=head&q=nobody")).items).toEqual([])
  })

  it("counts those that wait in the lane", async () => {
    const id = projects[2]!.id
    await api.call("PUT", `/v1/projects/${id}/policy`, { body: { lane: { mode: "on", depth: 3 } } })
    for (const name of ["first", "second"]) {
      const change = await openChange(api, id, name)
      const edit = { message: name, files: { [`${name}.txt`]: name } }
      await api.call("POST", `/v1/changes/${change}/changesets`, { body: edit })
      await api.call("POST", `/v1/changes/${change}/land`)
    }
    expect((await api.call("GET", `/v1/projects/${id}/lane`)).body.entries).toHaveLength(2)
    const counted = async () => (await list("?label=blog&include=counts")).items[0].counts
    expect(await counted()).toEqual({ openChanges: 2, laneEntries: 2 })
    await api.settle()
    expect((await api.call("GET", `/v1/projects/${id}/lane`)).body.entries).toEqual([])
    expect(await counted()).toEqual({ openChanges: 0, laneEntries: 0 })
  })

  it("is told by what moved last, or by what was promoted last, of every Project that the caller may see", async () => {
    const [a, b, c] = [await newProject(api, "row-a"), await newProject(api, "row-b"), await newProject(api, "row-c")]
    const tick = async () => {
      for (const now = Date.now(); Date.now() === now;) await Promise.resolve()
    }
    const promoted = async (id: string) => {
      await tick()
      const { candidateId } = await newCandidate(api, id, `row-${Date.now()}`, { "a.txt": "a" })
      await api.call("POST", `/v1/candidates/${candidateId}/promote`)
      await api.settle()
    }
    for (const { id } of [b, c, a]) await promoted(id)
    expect(await labels("?q=row&order=promoted")).toEqual(["row-a", "row-c", "row-b"])
    const page = await list("?q=row&order=promoted&limit=2")
    expect(page.items).toEqual([a, c])
    const next = await list(`?q=row&order=promoted&limit=2&cursor=${page.nextCursor}`)
    expect(next).toEqual({ items: [b], nextCursor: null })
    for (const cursor of ["w1", "1~recent", "1~recent.moved", "1~recent.moved:", "~recent.moved:1"])
      expectProblem(await api.call("GET", `/v1/projects?order=moved&cursor=${cursor}`), 400, "invalid_field", {
        field: "cursor"
      })
    await tick()
    await openChange(api, b.id, "moves")
    expect(await labels("?q=row&order=moved")).toEqual(["row-b", "row-a", "row-c"])
    expect(await labels("?q=row&order=promoted")).toEqual(["row-a", "row-c", "row-b"])
    await tick()
    await api.call("POST", "/v1/projects", { body: { slug: "row-bare" } })
    expect(await labels("?q=row&order=moved")).toEqual(["row-bare", "row-b", "row-a", "row-c"])
    expect(await labels("?q=row&order=promoted")).not.toContain("row-bare")
    expect((await labels("?order=promoted"))[0]).toBe("row-a")
    const body = { members: [{ userId: stranger.id, role: "viewer" }] }
    await api.call("PUT", `/v1/projects/${c.id}/members`, { body })
    expect(await labels("?q=row&order=promoted", stranger.token)).toEqual(["row-c"])
    await api.call("DELETE", `/v1/projects/${c.id}`)
    expect(await labels("?q=row&status=archived")).toEqual(["row-c"])
    expect(await labels("?q=row&order=promoted&status=active")).toEqual(["row-a", "row-b"])
    expect(await labels("?q=row&status=active&status=archived")).toEqual(["row-a", "row-b", "row-c", "row-bare"])
    expect(await labels("?status=archived&limit=1&label=row-b")).toEqual([])
    expect(await labels("?status=archived")).toEqual(["row-c"])
  })

  it("is refused what cannot be, by name", async () => {
    for (const [field, values] of Object.entries({
      include: ["", "heads", "head,", "head,,app", "head, app"],
      label: ["", "x".repeat(201)],
      order: ["", "newest"],
      status: ["", "gone"],
      q: ["", "%20"]
    }))
      for (const value of values)
        expectProblem(await api.call("GET", `/v1/projects?${field}=${value}`), 400, "invalid_field", { field })
    const { body } = await api.call("GET", "/v1/projects?include=apps")
    expect(body.detail).toContain("use some of head, app, counts, with commas between")
  })
})
