import { makeClient, type PawlClient, Problem } from "@pawl/server/api"
import { Cause, Effect, Exit, Option } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, ownerToken, source, startApi } from "./TestApi.ts"

describe("The client that is made from the contract", () => {
  let api: Api
  let client: PawlClient
  const fetchFrom =
    (running: Api): typeof globalThis.fetch =>
    (input, init) =>
      running.handler(new Request(input, init))

  beforeAll(async () => {
    api = await startApi()
    client = await Effect.runPromise(
      makeClient({ baseUrl: "http://pawl.test", token: ownerToken, fetch: fetchFrom(api) })
    )
  })
  afterAll(() => api.close())

  const run = <A, E>(program: Effect.Effect<A, E>) => Effect.runPromise(program)
  const problemOf = async (program: Effect.Effect<unknown, unknown>): Promise<Problem> => {
    const exit = await Effect.runPromiseExit(program)
    const error = Exit.isFailure(exit) ? Option.getOrNull(Cause.findErrorOption(exit.cause)) : null
    if (!(error instanceof Problem)) throw new Error(`no problem, but ${String(error)}`)
    return error
  }

  it("makes the whole way of a change, in types", async () => {
    const { project } = await run(client.projects.create({ payload: { slug: "typed", files: source } }))
    await api.settle()
    const { change } = await run(
      client.changes.create({
        params: { id: project.id },
        payload: { clientRequestId: "r", goal: "a goal", budgetUsd: 1 }
      })
    )
    const { changeset } = await run(
      client.changesets.create({
        params: { id: change.id },
        payload: { message: "m", files: { "logo.bin": { base64: "AAEC" }, "result.txt": null } }
      })
    )
    expect(changeset.files.map((file) => file.status)).toEqual(["added", "deleted"])
    const { candidate } = await run(client.candidates.create({ params: { id: change.id }, payload: {} }))
    await api.settle()
    const verified = await run(client.candidates.get({ params: { id: candidate.id } }))
    expect(verified.candidate.status).toBe("verified")
    const diff = await run(client.candidates.diff({ params: { id: candidate.id }, query: {} }))
    expect(diff.files.map((file) => file.path)).toEqual(["logo.bin", "result.txt"])
    const evidence = await run(
      client.candidates.evidence({ params: { id: candidate.id }, query: { output: "true", limit: 1 } })
    )
    expect(evidence.items.length).toBe(1)
    expect(await run(client.candidates.output({ params: { id: evidence.items[0]!.id } }))).toBe(
      evidence.items[0]!.output
    )
    const promoted = await run(client.candidates.promote({ params: { id: candidate.id } }))
    expect(promoted).toMatchObject({ outcome: "promoted", generation: 1 })
    const events = await run(client.events.list({ params: { id: project.id }, query: { after: 2, limit: 5 } }))
    expect(events.items.map((event) => event.sequence)).toEqual([3, 4, 5, 6, 7])
    const file = await run(
      client.projects.code({ params: { id: project.id }, query: { path: "logo.bin", tree: promoted.tree } })
    )
    expect(file).toEqual({ path: "logo.bin", size: 3, base64: "AAEC" })
  })

  it("fails with the problem and its facts", async () => {
    const { project } = await run(client.projects.create({ payload: { slug: "refusing" } }))
    const { change } = await run(
      client.changes.create({ params: { id: project.id }, payload: { clientRequestId: "r", goal: "g", budgetUsd: 3 } })
    )
    const problem = await problemOf(client.changes.budget({ params: { id: change.id }, payload: { budgetUsd: 1 } }))
    expect(problem).toMatchObject({ status: 409, code: "budget_cannot_decrease", facts: { current: 3, asked: 1 } })
    expect(problem.requestId).toMatch(/^req_/)
    expect(await problemOf(client.projects.create({ payload: { slug: "NO" } }))).toMatchObject({
      status: 400,
      code: "invalid_slug",
      facts: { field: "slug" }
    })
    expect(await problemOf(client.deadLetters.retry({ params: { id: "app.provision:a/0" } }))).toMatchObject({
      status: 404,
      code: "unknown_dead_letter"
    })
  })

  it("asks for health without a token, and for nothing else", async () => {
    const anonymous = await run(makeClient({ baseUrl: "http://pawl.test/", fetch: fetchFrom(api) }))
    expect(await run(anonymous.service.health())).toEqual({
      status: "ok",
      version: "0.0.0-test",
      environment: "production"
    })
    expect(await problemOf(anonymous.account.me())).toMatchObject({ status: 401, code: "unauthenticated" })
  })
})
