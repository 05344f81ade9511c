/** Failure injection and release targets, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

let api: Api
let strict: Api
beforeAll(async () => {
  api = await startApi({ settings: { fixturesEnabled: true } })
  strict = await startApi()
})
afterAll(async () => {
  await api.close()
  await strict.close()
})

const target = { workerName: "shop", workerTag: "1a2b3c", url: "https://shop.example.workers.dev/" }

describe("POST /v1/projects/:id/releases/inject-failure", () => {
  it("is refused where fixtures are off, and where no release is deployed", async () => {
    const there = await newProject(strict, "off")
    expectProblem(
      await strict.call("POST", `/v1/projects/${there.id}/releases/inject-failure`),
      403,
      "fixtures_disabled"
    )
    const fresh = await newProject(api, "fresh")
    const answer = await api.call("POST", `/v1/projects/${fresh.id}/releases/inject-failure`)
    expectProblem(answer, 409, "no_deployed_release")
  })

  it("answers the failed release with its evidence, and a repeat the same", async () => {
    const project = await newProject(api, "injected")
    const { candidateId } = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    await api.call("POST", `/v1/candidates/${candidateId}/promote`)
    await api.settle()
    const first = await api.call("POST", `/v1/projects/${project.id}/releases/inject-failure`)
    expect(first).toMatchObject({
      status: 200,
      body: {
        release: { status: "smoke_failed", generation: 1 },
        evidence: { checkId: "release-s1-injected", result: "fail" }
      }
    })
    const again = await api.call("POST", `/v1/projects/${project.id}/releases/inject-failure`)
    expect(again).toMatchObject({ status: 200, body: first.body })
    const { body } = await api.call("GET", `/v1/projects/${project.id}`)
    expect(body.canonical.generation).toBe(1)
  })
})

describe("A release target", () => {
  it("is named, read, changed and forgotten", async () => {
    const { id } = await newProject(api, "target")
    const path = `/v1/projects/${id}/release-target`
    expectProblem(await api.call("GET", path), 404, "unknown_release_target")
    const named = await api.call("PUT", path, { body: target })
    expect(named).toMatchObject({
      status: 200,
      body: { releaseTarget: { ...target, url: "https://shop.example.workers.dev" } }
    })
    expect((await api.call("GET", path)).body).toEqual(named.body)
    expect((await api.call("PUT", path, { body: target })).body).toEqual(named.body)
    const moved = await api.call("PUT", path, { body: { ...target, workerTag: "other" } })
    expect(moved.body.releaseTarget).toMatchObject({
      workerTag: "other",
      createdAt: named.body.releaseTarget.createdAt
    })
    const remote = "https://Git.Example.com/acme/shop.git/"
    const watched = await api.call("PUT", path, { body: { ...target, workerTag: "other", remote } })
    expect(watched.body.releaseTarget.remote).toBe("https://git.example.com/acme/shop.git")
    expect((await api.call("PUT", path, { body: { ...target, workerTag: "other", remote: null } })).body).toEqual({
      releaseTarget: { ...moved.body.releaseTarget, updatedAt: expect.any(String) }
    })
    expect((await api.call("GET", path)).body.releaseTarget).not.toHaveProperty("remote")
    expect((await api.call("DELETE", path)).body.releaseTarget).not.toHaveProperty("remote")
    expectProblem(await api.call("DELETE", path), 404, "unknown_release_target")
    expectProblem(await api.call("GET", path), 404, "unknown_release_target")
  })

  it("is refused with the field that cannot be used", async () => {
    const { id } = await newProject(api, "refused")
    const refused = [
      ["workerName", ["", "Shop", "a/b", "x".repeat(64), "../x"]],
      ["workerTag", ["", "a b", "../x", "x".repeat(65)]],
      ["url", ["", "shop", "ftp://a.b", "https://user:secret@a.b", "https://a.b/path", "https://a.b?x", "//a.b"]],
      // What this server could reach and the internet could not.
      [
        "url",
        ["http://127.0.0.1:8080", "http://localhost", "https://a.localhost", "http://2130706433", "http://0x7f.1"]
      ],
      ["url", ["http://169.254.169.254", "https://10.0.0.1", "https://db.internal", "https://printer.local"]],
      [
        "remote",
        [
          "",
          "https://git.test",
          "https://user:secret@git.test/a",
          "git@git.test:a/b",
          "file:///etc/passwd",
          "ext::sh -c id",
          "ssh://-oProxyCommand=id/a",
          "ssh://git.test/-a",
          "https://git.test/a/../b",
          "https://git.test/a?b",
          "https://git.test/a b",
          `https://git.test/${"a".repeat(300)}`
        ]
      ]
    ] as const
    for (const [field, values] of refused)
      for (const value of values)
        expectProblem(
          await api.call("PUT", `/v1/projects/${id}/release-target`, { body: { ...target, [field]: value } }),
          400,
          "invalid_field",
          { field }
        )
  })
})
