/** Entity tags, conditions and ranges (RFC 9110), met over HTTP. */
import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, newUser, startApi } from "../TestApi.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const put = (path: string, members: ReadonlyArray<unknown>, tag?: string) =>
  api.call("PUT", path, { body: { members }, ...(tag === undefined ? {} : { headers: { "if-match": tag } }) })

describe("Lists of members", () => {
  it.each(["project", "organization"] as const)(
    "of a %s are replaced only while they are what the caller saw",
    async (of) => {
      const project = await newProject(api, `tags-${of}`)
      const organization = (await api.call("GET", "/v1/organizations")).body.items[0].id
      const owner = (await api.call("GET", "/v1/me")).body.user.id
      const one = await newUser(api, "One", organization)
      const kept = of === "project" ? [] : [{ userId: owner, role: "owner" }]
      const path = of === "project" ? `/v1/projects/${project.id}/members` : `/v1/organizations/${organization}/members`
      const first = await api.call("GET", path)
      const tag = first.headers.get("etag") ?? ""
      expect(tag).toMatch(/^"[0-9a-f]{32}"$/)
      expect(first.headers.get("cache-control")).toBe("private, no-cache")

      const list = [...kept, { userId: one.id, role: of === "project" ? "viewer" : "member" }]
      const changed = await put(path, list, `"another", ${tag}`)
      expect(changed.status).toBe(200)
      const next = changed.headers.get("etag") ?? ""
      if (of === "project") expect(next).not.toBe(tag)
      expect((await api.call("GET", path)).headers.get("etag")).toBe(next)

      expectProblem(await put(path, kept, '"00000000000000000000000000000000"'), 412, "precondition_failed", {
        tag: next
      })
      expectProblem(await put(path, kept, `W/${next}`), 412, "precondition_failed")
      expect((await api.call("GET", path)).headers.get("etag")).toBe(next)
      expect((await put(path, list, "*")).status).toBe(200)
      expect((await put(path, list)).status).toBe(200)
    }
  )

  it("have one tag in whatever order they are put: the one of the answer is good for the next list", async () => {
    const project = await newProject(api, "tags-order")
    const path = `/v1/projects/${project.id}/members`
    const people = await Promise.all([newUser(api, "A"), newUser(api, "B")])
    const list = people.map(({ id }) => ({ userId: id, role: "viewer" }))
    await put(path, list)
    const turned = await put(path, list.toReversed())
    const tag = turned.headers.get("etag") ?? ""
    expect((await api.call("GET", path)).headers.get("etag")).toBe(tag)
    expect((await put(path, [], tag)).status).toBe(200)
  })

  it("of two that saw the same list and write at once, one changes it and one is refused", async () => {
    const project = await newProject(api, "tags-race")
    const path = `/v1/projects/${project.id}/members`
    const people = await Promise.all([newUser(api, "First"), newUser(api, "Second")])
    const tag = (await api.call("GET", path)).headers.get("etag") ?? ""
    const answers = await Promise.all(people.map(({ id }) => put(path, [{ userId: id, role: "viewer" }], tag)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412])
    expect((await api.call("GET", path)).body.items).toHaveLength(1)
  })

  it("are not sent again to who has them, and a reader who may not see them learns nothing", async () => {
    const project = await newProject(api, "tags-known")
    const path = `/v1/projects/${project.id}/members`
    const tag = (await api.call("GET", path)).headers.get("etag") ?? ""
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, "*"]) {
      const answer = await api.call("GET", path, { headers: { "if-none-match": known } })
      expect([answer.status, answer.text, answer.headers.get("etag")]).toEqual([304, "", tag])
    }
    expect((await api.call("GET", path, { headers: { "if-none-match": '"x"' } })).status).toBe(200)
    const stranger = await newUser(api, "Stranger")
    const asked = { token: stranger.token, headers: { "if-none-match": "*" } }
    expectProblem(await api.call("GET", path, asked), 404, "unknown_project")
  })
})

describe("What never changes", () => {
  let candidateId = ""
  let changeSetId = ""
  let projectId = ""
  let evidence: { readonly id: string; readonly outputDigest: string }
  beforeAll(async () => {
    const project = await newProject(api, "tags-final")
    projectId = project.id
    ;({ candidateId, changeSetId } = await newCandidate(api, projectId, "r1", { "a.txt": "a" }))
    const { items } = (await api.call("GET", `/v1/candidates/${candidateId}/evidence`)).body
    evidence = items.find((row: { checkId: string }) => row.checkId === "test")
  })

  const output = (headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    api.call(method, `/v1/evidence/${evidence.id}/output`, { headers })

  it("is told by its tag alone to who has it: outputs, and diffs in each of their forms", async () => {
    const diffs = [{}, { accept: "text/plain" }].map((headers) => ({
      path: `/v1/candidates/${candidateId}/diff`,
      headers
    }))
    const tags = new Set<string>()
    for (const { headers, path } of [...diffs, { path: `/v1/evidence/${evidence.id}/output`, headers: {} }]) {
      const first = await api.call("GET", path, { headers })
      const tag = first.headers.get("etag") ?? ""
      expect([first.status, first.headers.get("cache-control")]).toEqual([200, "private, no-cache"])
      const again = await api.call("GET", path, { headers: { ...headers, "if-none-match": tag } })
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", tag])
      expect(again.headers.get("cache-control")).toBe("private, no-cache")
      tags.add(tag)
    }
    expect(tags.size).toBe(3)
    const other = await api.call("GET", `/v1/projects/${projectId}`)
    expect([other.headers.get("etag"), other.headers.get("cache-control")]).toEqual([null, "no-store"])
  })

  it("is told so too: code of a tree, a ChangeSet, a generation, evidence of a Candidate that has ended, a release", async () => {
    await api.call("POST", `/v1/candidates/${candidateId}/promote`)
    await api.settle()
    const { candidate } = (await api.call("GET", `/v1/candidates/${candidateId}`)).body
    const code = `/v1/projects/${projectId}/code?tree=${candidate.tree}`
    const releases = (await api.call("GET", `/v1/projects/${projectId}/releases`)).body.items
    const paths = [
      code,
      `${code}&path=a.txt`,
      `${code}&path=src/index.js`,
      `/v1/projects/${projectId}/code`,
      `/v1/projects/${projectId}/versions/1`,
      `/v1/changesets/${changeSetId}`,
      `/v1/candidates/${candidateId}/evidence`,
      `/v1/candidates/${candidateId}/evidence?output=true`,
      `/v1/releases/${releases[0].id}`
    ]
    const tags = new Set<string>()
    for (const path of paths) {
      const first = await api.call("GET", path)
      const tag = first.headers.get("etag") ?? ""
      expect([path, first.status, tag]).toEqual([path, 200, expect.stringMatching(/^"[0-9a-f]{32}"$/)])
      expect(first.headers.get("cache-control")).toBe("private, no-cache")
      const again = await api.call("GET", path, { headers: { "if-none-match": tag } })
      expect([path, again.status, again.text, again.headers.get("etag")]).toEqual([path, 304, "", tag])
      tags.add(tag)
    }
    // What is canonical is that tree: by its name or without it, one list.
    expect(tags.size).toBe(paths.length - 1)
    const astray = await api.call("GET", `${code}&path=none.txt`, { headers: { "if-none-match": "*" } })
    expect([astray.status, astray.headers.get("etag"), astray.headers.get("cache-control")]).toEqual([
      404,
      null,
      "no-store"
    ])
    const stranger = await newUser(api, "Reader of code")
    for (const path of paths) {
      const asked = { token: stranger.token, headers: { "if-none-match": "*" } }
      expect([path, (await api.call("GET", path, asked)).status]).toEqual([path, 404])
    }
  })

  it("is answered in part where that is asked for, and its bytes have the digest of the evidence", async () => {
    const whole = await output()
    expect(createHash("sha256").update(whole.text).digest("hex")).toBe(evidence.outputDigest)
    expect(whole.text).toBe("all tests ran")
    const tag = whole.headers.get("etag") ?? ""
    expect(whole.headers.get("accept-ranges")).toBe("bytes")
    const cases = [
      ["bytes=0-2", "all", "bytes 0-2/13"],
      ["bytes=10-", "ran", "bytes 10-12/13"],
      ["bytes=-3", "ran", "bytes 10-12/13"],
      ["bytes=4-99", "tests ran", "bytes 4-12/13"]
    ] as const
    for (const [range, text, where] of cases) {
      const part = await output({ range })
      expect([part.status, part.text, part.headers.get("content-range")]).toEqual([206, text, where])
      expect(part.headers.get("etag")).toBe(tag)
    }
    const beyond = await output({ range: "bytes=13-" })
    expect([beyond.status, beyond.text, beyond.headers.get("content-range")]).toEqual([416, "", "bytes */13"])
    for (const range of ["bytes=0-1,3-4", "lines=1-2", "bytes=5-2", "bytes=x"])
      expect([(await output({ range })).status, (await output({ range })).text]).toEqual([200, whole.text])
    expect((await output({ range: "bytes=0-2", "if-range": tag })).status).toBe(206)
    expect((await output({ range: "bytes=0-2", "if-range": '"another"' })).text).toBe(whole.text)
    expect((await output({ range: "bytes=0-2", "if-none-match": tag })).status).toBe(304)
    const head = await output({ range: "bytes=0-2" }, "HEAD")
    expect([head.status, head.text]).toEqual([200, ""])
  })
})
