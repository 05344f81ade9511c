import { firstOrganizationId } from "@pawl/core/access/Organizations"
import { type CommandKind, commandId } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { type Api, newUser, startApi } from "../TestApi.ts"

/** A command of the directory that failed for good. */
const bury = (kind: CommandKind, name: string, payload: Record<string, unknown> = {}) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    const id = commandId(kind, name)
    yield* (yield* Ledger).commit({ name: "test", projectId: null, commands: [{ kind, id, payload, maxAttempts: 1 }] })
    for (const { lease } of yield* commands.claim({ worker: "test", kinds: [kind], limit: 10, leaseMs: 1000 }))
      yield* commands.fail(lease, "it broke", 0)
    return id
  })

const provisioning = (organizationId: string, n: number) => {
  const id = `proj_00000000-0000-4000-8000-00000000000${n}`
  const project = {
    id,
    organizationId,
    slug: `p${n}`,
    name: `p${n}`,
    label: `p${n}`,
    status: "provisioning",
    createdBy: "usr_00000000-0000-4000-8000-000000000001",
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    cleaned_at: null
  }
  return bury("project.provision", id, { project, hasSource: false, actor: { type: "system", id: "system:test" } })
}

describe("The dead letters of the directory", () => {
  let api: Api
  let [ours, theirs, upkeep] = ["", "", ""]
  let stranger: string
  let colleague: string
  beforeEach(async () => {
    api = await startApi()
    stranger = (await newUser(api, "Stranger")).token
    colleague = (await newUser(api, "Colleague", firstOrganizationId)).token
    const made = await api.call("POST", "/v1/organizations", { token: stranger, body: { name: "Theirs" } })
    ours = await api.run(provisioning(firstOrganizationId, 1))
    theirs = await api.run(provisioning(made.body.organization.id, 2))
    upkeep = await api.run(bury("retention.sweep", "2026-01-01"))
    return () => api.close()
  })

  const listed = async (query = "", token?: string) => {
    const ask = token === undefined ? {} : { token }
    const { body, status } = await api.call("GET", `/v1/dead-letters${query}`, ask)
    return { status, ids: body.items?.map((each: { readonly id: string }) => each.id), next: body.nextCursor }
  }

  it("are shown to the owners concerned: upkeep to the first organization's, a Project's to its own", async () => {
    expect(await listed()).toEqual({ status: 200, ids: [ours, upkeep], next: null })
    expect(await listed("", stranger)).toEqual({ status: 200, ids: [theirs], next: null })
    expect((await listed("", colleague)).status).toBe(403)
  })

  it("are read a page at a time, also when the last one shown is gone", async () => {
    const first = await listed("?limit=1")
    expect(first).toMatchObject({ ids: [ours], next: expect.any(String) })
    await api.call("POST", `/v1/dead-letters/${ours}/dismiss`)
    expect(await listed(`?limit=1&cursor=${encodeURIComponent(first.next)}`)).toMatchObject({
      ids: [upkeep],
      next: null
    })
  })

  it.each(["retry", "dismiss"])("are there for nobody else to %s", async (what) => {
    const ask = async (id: string, token: string) => {
      const { body, status } = await api.call("POST", `/v1/dead-letters/${id}/${what}`, { token })
      return [status, body.code]
    }
    for (const id of [ours, upkeep]) expect(await ask(id, stranger)).toEqual([404, "unknown_dead_letter"])
    for (const id of [ours, upkeep]) expect(await ask(id, colleague)).toEqual([403, "insufficient_role"])
    expect((await api.call("POST", `/v1/dead-letters/${theirs}/${what}`)).status).toBe(404)
    expect(await ask(theirs, stranger)).toEqual([200, undefined])
    for (const id of [ours, upkeep]) expect((await api.call("POST", `/v1/dead-letters/${id}/${what}`)).status).toBe(200)
    expect(await listed()).toMatchObject({ ids: [] })
  })

  it("make a Project active that could not be provisioned, when an owner retries", async () => {
    await api.call("POST", `/v1/dead-letters/${ours}/retry`)
    await api.settle()
    const { body } = await api.call("GET", "/v1/projects/proj_00000000-0000-4000-8000-000000000001")
    expect(body.project).toMatchObject({ slug: "p1", status: "active" })
  })
})
