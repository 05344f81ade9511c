/** Generations by their numbers, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

describe("Generations by their numbers", () => {
  let api: Api
  let project: string
  const ask = (path: string, headers: Record<string, string> = {}) =>
    api.call("GET", `/v1/projects/${project}/${path}`, { headers })
  const numbers = (answer: { readonly body: { readonly items: ReadonlyArray<{ readonly generation: number }> } }) =>
    answer.body.items.map(({ generation }) => generation)

  beforeAll(async () => {
    api = await startApi()
    project = (await newProject(api, "numbered")).id
    for (const name of ["one", "two", "three"]) {
      const { candidateId } = await newCandidate(api, project, name, { "a.txt": `${name}\n` })
      await api.call("POST", `/v1/candidates/${candidateId}/promote`)
      await api.settle()
    }
  })
  afterAll(() => api.close())

  it("are listed from any number down, and a page of one is one generation", async () => {
    expect(numbers(await ask("versions?before=3"))).toEqual([2, 1, 0])
    expect(numbers(await ask("versions?before=3&limit=2"))).toEqual([2, 1])
    expect(numbers(await ask("versions?before=1"))).toEqual([0])
    expect((await ask("versions?before=3")).body.nextCursor).toBeNull()
    const [alone] = (await ask("versions?before=2&limit=1")).body.items
    const all = (await ask("versions")).body.items
    expect(alone).toEqual(all.find(({ generation }: { readonly generation: number }) => generation === 1))
  })

  it("tell what their Changes were for, and of a long goal the first words", async () => {
    const titles = (await ask("versions")).body.items.map(({ title }: { readonly title?: string }) => title)
    expect(titles).toEqual(["a goal", "a goal", "a goal", undefined])
    const other = await newProject(api, "long-goals")
    const goal = "word ".repeat(100)
    const opened = await api.call("POST", `/v1/projects/${other.id}/changes`, {
      body: { clientRequestId: "long", goal, budget_usd: 1 }
    })
    const change = `/v1/changes/${opened.body.change.id}`
    await api.call("POST", `${change}/changesets`, { body: { message: "edit", files: { "a.txt": "a" } } })
    const { candidate } = (await api.call("POST", `${change}/candidates`)).body
    await api.settle()
    await api.call("POST", `/v1/candidates/${candidate.id}/promote`)
    const { version } = (await api.call("GET", `/v1/projects/${other.id}/versions/1`)).body
    expect(version.title).toBe(`${goal.slice(0, 200)}…`)
  })

  it("end where there are none: below S0, and above the head", async () => {
    expect(numbers(await ask("versions?before=0"))).toEqual([])
    expect(numbers(await ask("versions?before=999&limit=3"))).toEqual([])
    expectProblem(await ask("versions?before=-1"), 400, "invalid_field", { field: "before" })
  })

  it("have their releases by the same numbers; S0 has none", async () => {
    expect(numbers(await ask("releases?before=3"))).toEqual([2, 1])
    expect(numbers(await ask("releases?before=1"))).toEqual([])
  })

  it("have releases that are kept by status, in full pages or by their numbers", async () => {
    const all = (await ask("releases?status=deployed")).body.items
    expect(numbers({ body: { items: all } })).toEqual([3, 2, 1])
    const first = await ask("releases?status=deployed&status=failed&limit=2")
    expect(numbers(first)).toEqual([3, 2])
    expect(
      numbers(await ask(`releases?status=deployed&status=failed&limit=2&cursor=${first.body.nextCursor}`))
    ).toEqual([1])
    expect(numbers(await ask("releases?status=superseded"))).toEqual([])
    expect(numbers(await ask("releases?before=3&status=deployed"))).toEqual([2, 1])
    expect(numbers(await ask("releases?before=3&status=queued&status=failed"))).toEqual([])
    expectProblem(await ask("releases?status=live"), 400, "invalid_field", { field: "status" })
  })

  it("are answered one at a time, as the list tells them, and one that there is not is 404 by name", async () => {
    const all = (await ask("versions")).body.items
    for (const each of all) expect((await ask(`versions/${each.generation}`)).body).toEqual({ version: each })
    for (const n of ["4", "-1", "01", "1.0", "S1", "99999999999999999999", "%20", "head"])
      expectProblem(await ask(`versions/${n}`), 404, "unknown_generation")
  })

  it("have a release each, found by its id alone; S0 has none", async () => {
    const [newest] = (await ask("releases")).body.items
    expect(newest).toMatchObject({ id: `rel_${project}_3`, generation: 3 })
    const answer = await api.call("GET", `/v1/releases/${newest.id}`)
    expect(answer).toMatchObject({ status: 200, body: { release: { status: "deployed" } } })
    expect(answer.body).toEqual({ release: newest })
    for (const id of [`rel_${project}_0`, `rel_${project}_9`, project, "rel_"])
      expectProblem(await api.call("GET", `/v1/releases/${id}`), 404, "unknown_release")
  })

  it("are kept by how they came to be, one way or several, each once, also below a number", async () => {
    const other = await newProject(api, "went-back")
    const line = `/v1/projects/${other.id}`
    const list = async (query: string) => (await api.call("GET", `${line}/versions?${query}`)).body
    const promote = async (candidateId: string) => {
      await api.settle()
      expect((await api.call("POST", `/v1/candidates/${candidateId}/promote`)).status).toBe(200)
      await api.settle()
    }
    for (const name of ["one", "two"])
      await promote((await newCandidate(api, other.id, name, { "a.txt": `${name}\n` })).candidateId)
    const body = { targetGeneration: 1, expectedGeneration: 2, reason: "two was wrong" }
    await promote((await api.call("POST", `${line}/rollback`, { body })).body.candidate.id)
    await promote((await newCandidate(api, other.id, "four", { "a.txt": "four\n" })).candidateId)

    const told = async (query: string) =>
      (await list(query)).items.map((each: { readonly generation: number; readonly trigger: string }) => [
        each.generation,
        each.trigger
      ])
    expect(await told("trigger=rollback")).toEqual([[3, "rollback"]])
    expect(await told("trigger=user&trigger=seed")).toEqual([
      [4, "user"],
      [2, "user"],
      [1, "user"],
      [0, "seed"]
    ])
    expect(await told("trigger=auto")).toEqual([])
    const first = await list("trigger=user&limit=2")
    expect([numbers({ body: first }), typeof first.nextCursor]).toEqual([[4, 2], "string"])
    const second = await list(`trigger=user&limit=2&cursor=${first.nextCursor}`)
    expect([numbers({ body: second }), second.nextCursor]).toEqual([[1], null])
    expect(await told("trigger=user&before=4&limit=2")).toEqual([[2, "user"]])
    const [back] = (await list("trigger=rollback")).items
    expect(back).toMatchObject({ title: "Roll back to S1", rollbackTarget: 1, rollbackReason: "two was wrong" })
    expect((await api.call("GET", `${line}/versions/3`)).body).toEqual({ version: back })
    for (const query of ["trigger=promoted", "trigger=", "trigger=user,seed"])
      expectProblem(await api.call("GET", `${line}/versions?${query}`), 400, "invalid_field", { field: "trigger" })
  })

  it("are compared either way, as JSON and as text, and without numbers the head with the one before it", async () => {
    const files = async (query: string) => (await ask(`compare${query}`)).body.files
    expect(await files("?from=1&to=3")).toMatchObject([
      { path: "a.txt", status: "modified", additions: 1, deletions: 1 }
    ])
    expect(await files("?from=3&to=0")).toMatchObject([{ path: "a.txt", status: "deleted" }])
    expect(await files("?from=2&to=2")).toEqual([])
    expect(await files("")).toEqual(await files("?from=2&to=3"))
    const text = await ask("compare?from=1&to=3", { accept: "text/plain" })
    expect(text.text).toContain("-one\n+three\n")
  })

  it("that are not there are not compared", async () => {
    expectProblem(await ask("compare?from=1&to=9"), 404, "unknown_generation")
    expectProblem(await ask("compare?from=9&to=1"), 404, "unknown_generation")
    expectProblem(await ask("compare?from=x"), 400, "invalid_field", { field: "from" })
  })
})
