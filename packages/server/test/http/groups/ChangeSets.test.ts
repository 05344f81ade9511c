/** ChangeSets of very many files, over HTTP. */
import { listKey } from "@pawl/core/changeset/Listing"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, newProject, startApi } from "../TestApi.ts"

describe("A ChangeSet of very many files", () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api.close())

  it("is answered whole by itself, and cut in a list and when its whole list is not kept any more", async () => {
    const { id: projectId } = await newProject(api, "many")
    const opened = await api.call("POST", `/v1/projects/${projectId}/changes`, {
      body: { clientRequestId: "one", goal: "a goal", budget_usd: 1 }
    })
    const all = `/v1/changes/${opened.body.change.id}/changesets`
    const paths = Array.from({ length: Limits.changeSetFiles }, (_, n) => `${"d".repeat(100)}/${n}.txt`)
    const files = Object.fromEntries(paths.map((path) => [path, "a"]))
    const made = await api.call("POST", all, { body: { message: "many", files } })
    const pathsOf = (changeSet: { readonly files: ReadonlyArray<{ readonly path: string }> }) =>
      changeSet.files.map((file) => file.path)
    expect(made.status).toBe(201)
    expect(pathsOf(made.body.changeset).sort()).toEqual([...paths].sort())
    expect(made.body.changeset).not.toHaveProperty("cut")
    const one = `/v1/changesets/${made.body.changeset.id}`
    expect((await api.call("GET", one)).body).toEqual(made.body)

    const listed = (await api.call("GET", all)).body.items[0]
    const { digest } = listed.cut
    expect(listed.cut).toEqual({ filesTotal: paths.length, intentsTotal: paths.length, digest })
    expect(listed.files.length).toBeLessThan(paths.length)
    expect(listed.files).toEqual(made.body.changeset.files.slice(0, listed.files.length))

    await api.run(Effect.flatMap(ObjectStore, (objects) => objects.remove(listKey(projectId, digest))))
    expect((await api.call("GET", one)).body).toEqual({ changeset: listed })
  })
})
