/** Refusals about Projects and their source, met over HTTP. */
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem, openChange } from "../ExpectProblem.ts"
import { type Api, newProject, newUser, source, startApi } from "../TestApi.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const create = (body: unknown) => api.call("POST", "/v1/projects", { body })

describe("A new Project", () => {
  it("is refused a slug that cannot be one, names that are the service's, and one that is taken", async () => {
    for (const slug of ["", "A", "a--b", "-a", "a-", "ä", "a".repeat(51), "pawl", "pawl-shop", 7])
      expectProblem(await create({ slug }), 400, "invalid_slug", { field: "slug" })
    expectProblem(await create({}), 400, "invalid_slug", { field: "slug" })
    await newProject(api, "taken")
    expectProblem(await create({ slug: "taken" }), 409, "slug_taken", { slug: "taken" })
  })

  it("is one of two when both ask for the slug at once", async () => {
    const both = await Promise.all([1, 2].map(() => create({ slug: "raced", files: source })))
    expect(both.map((answer) => String(answer.status)).sort()).toEqual(["201", "409"])
  })

  it("gets a label of its own when its slug is reserved", async () => {
    expect((await create({ slug: "www" })).body.project.label).toMatch(/^www-[0-9a-f]{6}$/)
  })

  it("has a name that can be shown", async () => {
    for (const name of ["", " ", "x".repeat(101), "a\nb"])
      expectProblem(await create({ slug: "named", name }), 400, "invalid_field", { field: "name" })
    expect((await create({ slug: "named", name: "Ein Laden" })).body.project.name).toBe("Ein Laden")
  })

  it("reserves nothing when its files cannot be a source", async () => {
    for (const path of ["../out", "/etc/passwd", ".git/config", "a/../b", "a\u0001b", "a\\b", ""])
      expectProblem(await create({ slug: "spotless", files: { [path]: "x" } }), 400, "invalid_path", { path })
    const refused: ReadonlyArray<readonly [unknown, string, string]> = [
      [{}, "invalid_field", "files"],
      [[], "invalid_field", "files"],
      [{ "a.txt": null }, "invalid_field", "files.a.txt"],
      [{ "a.txt": 7 }, "invalid_field", "files.a.txt"],
      [{ "pawl.json": "{" }, "invalid_pawl_json", "files.pawl.json"],
      [{ "pawl.json": `{"checks":${"[".repeat(200_000)}${"]".repeat(200_000)}}` }, "too_deep", "files.pawl.json"]
    ]
    for (const [files, code, field] of refused)
      expectProblem(await create({ slug: "spotless", files }), 400, code, { field })
    const undecodable = { slug: "spotless", files: { "a.bin": { base64: "%" } } }
    expectProblem(await create(undecodable), 400, "invalid_path", { path: "a.bin" })
    expect((await create({ slug: "spotless", files: { "a.txt": "y" } })).status).toBe(201)
  })

  it("takes a template or files, not both", async () => {
    const both = { slug: "both", template: "shop", files: source }
    expectProblem(await create(both), 400, "invalid_field", { field: "template" })
    expectProblem(await create({ slug: "both", template: "cathedral" }), 400, "invalid_field", { field: "template" })
    expect((await create({ slug: "both", template: "shop" })).status).toBe(201)
  })

  it("needs an organization to belong to", async () => {
    const stranger = await newUser(api, "Stranger")
    const alone = await api.call("POST", "/v1/projects", { body: { slug: "nowhere" }, token: stranger.token })
    expectProblem(alone, 403, "insufficient_role")
    expectProblem(await create({ slug: "nowhere", organizationId: "org_none" }), 404, "unknown_organization")
  })
})

describe("A Project without a source", () => {
  it("has no canonical, no Candidate and no app, until it is seeded once", async () => {
    const { id } = (await create({ slug: "empty" })).body.project
    const project = `/v1/projects/${id}`
    expect((await api.call("GET", project)).body.canonical).toBeNull()
    expect((await api.call("GET", `${project}/app`)).body).toEqual({ enabled: true, app: null })
    const change = `/v1/changes/${await openChange(api, id, "r1")}`
    const edit = { message: "m", files: { "a.txt": "a" } }
    expectProblem(await api.call("POST", `${change}/candidates`), 409, "no_source")
    expectProblem(await api.call("POST", `${change}/changesets`, { body: edit }), 409, "no_source")
    expectProblem(await api.call("POST", `${project}/app`), 409, "no_source")
    expectProblem(await api.call("GET", `${project}/code`), 409, "no_source")
    expectProblem(await api.call("POST", `${project}/source`, { body: {} }), 400, "invalid_field", { field: "files" })
    expect((await api.call("GET", `${change}/candidates`)).body).toEqual({ items: [], nextCursor: null })
    const seeded = await api.call("POST", `${project}/source`, { body: { files: source } })
    expect(seeded).toMatchObject({ status: 201, body: { project: { id } } })
    expectProblem(await api.call("POST", `${project}/source`, { body: { files: source } }), 409, "has_source")
  })

  it("takes one of many sources that are sent at once, and tells the others that it has one", async () => {
    const { id } = (await create({ slug: "hurried" })).body.project
    const texts = ["one", "one", "two", "three"]
    const answers = await Promise.all(
      texts.map((text) =>
        api.call("POST", `/v1/projects/${id}/source`, { body: { files: { ...source, "which.txt": text } } })
      )
    )
    const taken = answers.findIndex((answer) => answer.status === 201)
    for (const [n, answer] of answers.entries()) if (n !== taken) expectProblem(answer, 409, "has_source")
    const code = await api.call("GET", `/v1/projects/${id}/code?path=which.txt`)
    expect(code.body.text).toBe(texts[taken])
  })
})

describe("What is not there", () => {
  it("is 404 by its kind, and a tree only of this Project", async () => {
    const project = `/v1/projects/${(await newProject(api, "here")).id}`
    const elsewhere = await newProject(api, "elsewhere", { ...source, "a.txt": "other" })
    const kinds = { projects: "project", changes: "change", candidates: "candidate", changesets: "changeset" }
    for (const [noun, kind] of Object.entries(kinds))
      expectProblem(await api.call("GET", `/v1/${noun}/none`), 404, `unknown_${kind}`)
    expectProblem(await api.call("POST", "/v1/dead-letters/none%2Fat%3Aall/retry"), 404, "unknown_dead_letter")
    expectProblem(await api.call("DELETE", "/v1/tokens/none"), 404, "unknown_token")
    const { tree } = (await api.call("GET", `/v1/projects/${elsewhere.id}`)).body.canonical
    expectProblem(await api.call("GET", `${project}/code?tree=${tree}`), 404, "unknown_tree")
    const change = { clientRequestId: "c", goal: "elsewhere", budget_usd: 1, startPlanning: false }
    const opened = (await api.call("POST", `/v1/projects/${elsewhere.id}/changes`, { body: change })).body.change
    const edit = { message: "one", files: { "a.txt": "another" } }
    const { changeset } = (await api.call("POST", `/v1/changes/${opened.id}/changesets`, { body: edit })).body
    for (const id of ["none", changeset.id])
      expectProblem(await api.call("GET", `${project}/code?changeset=${id}`), 404, "unknown_changeset")
    const listed = await api.call("GET", `/v1/projects/${elsewhere.id}/code?changeset=${changeset.id}`)
    expect(listed.body).toMatchObject({ tree: changeset.tree })
    expectProblem(await api.call("GET", `${project}/code?path=none.txt`), 404, "unknown_file")
    expectProblem(await api.call("GET", `${project}/code?path=../a`), 400, "invalid_path", { path: "../a" })
  })
})

describe("An installation without an apps domain", () => {
  it("says that it hosts no apps", async () => {
    const development = await startApi({ settings: { environment: "development", appsDomain: null } })
    const path = `/v1/projects/${(await newProject(development, "hostless")).id}/app`
    expect((await development.call("GET", path)).body).toEqual({ enabled: false, app: null })
    expectProblem(await development.call("POST", path), 409, "apps_disabled")
    await development.close()
  })
})

describe("A record that does not fit the contract", () => {
  it("is the server's mistake and tells nothing of it", async () => {
    const { id } = await newProject(api, "damaged")
    const spoil = Effect.gen(function* () {
      const stored = yield* demand("project", id)
      const write = Commit.update("project", stored, { name: JSON.parse("7") })
      yield* (yield* Ledger).commit({ name: "test", projectId: id, writes: [write] })
    })
    await api.run(spoil)
    const answer = await api.call("GET", `/v1/projects/${id}`)
    expectProblem(answer, 500, "internal")
    expect(Object.keys(answer.body)).toEqual(["type", "title", "status", "code", "detail", "requestId"])
  })
})
