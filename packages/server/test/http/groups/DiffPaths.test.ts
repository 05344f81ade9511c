/** One file of a diff, met over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

interface Files {
  readonly files: ReadonlyArray<{ readonly path: string; readonly patch: string }>
}

describe("A diff that is asked for by path", () => {
  let api: Api
  let places: ReadonlyArray<string>
  let whole: Files["files"]
  const of = (place: string, query: string, headers: Readonly<Record<string, string>> = {}) =>
    api.call("GET", `${place}?${query}`, { headers })
  const pathsOf = ({ files }: Files) => files.map(({ path }) => path)

  beforeAll(async () => {
    api = await startApi()
    const { id } = await newProject(api, "paths")
    const files = { "src/a.txt": "a", "src/deep/b c.txt": "b", "src2.txt": "2", "[x].txt": "x" }
    const { candidateId, changeSetId } = await newCandidate(api, id, "r1", files)
    await api.call("POST", `/v1/candidates/${candidateId}/promote`)
    places = [`/v1/candidates/${candidateId}/diff`, `/v1/changesets/${changeSetId}/diff`, `/v1/projects/${id}/compare`]
    whole = (await api.call("GET", places[0] ?? "")).body.files
  })
  afterAll(() => api.close())

  it("is the same file of a Candidate's, a ChangeSet's and two generations', in both forms", async () => {
    expect(pathsOf({ files: whole })).toHaveLength(4)
    for (const place of places)
      for (const file of whole) {
        const path = new URLSearchParams({ path: file.path }).toString()
        expect((await of(place, path)).body.files).toEqual([file])
        expect((await of(place, path, { accept: "text/plain" })).text).toBe(file.patch)
      }
  })

  it("is what lies below a folder, and nothing where nothing changes", async () => {
    for (const place of places) {
      expect(pathsOf((await of(place, "path=src")).body)).toEqual(["src/a.txt", "src/deep/b c.txt"])
      for (const path of ["none.txt", "sr", "*", "SRC"]) {
        expect((await of(place, `path=${path}`)).body.files).toEqual([])
        expect((await of(place, `path=${path}`, { accept: "text/plain" })).text).toBe("")
      }
    }
  })

  it("has a tag of its own, by which it is not sent again", async () => {
    const [place = ""] = places
    const tags = await Promise.all(
      ["", "path=src", "path=src2.txt"].map(async (query) => (await of(place, query)).headers.get("etag"))
    )
    expect(new Set(tags).size).toBe(3)
    expect((await of(place, "path=src", { "if-none-match": tags[1] ?? "" })).status).toBe(304)
    expect((await of(place, "path=src", { "if-none-match": tags[2] ?? "" })).status).toBe(200)
  })

  it("is refused for what is no path of a file, by name", async () => {
    for (const place of places)
      for (const path of ["", "..%2Fsrc", "%2Fetc%2Fpasswd", "src%2F", ".git%2Fconfig", "a%00b"])
        expectProblem(await of(place, `path=${path}`), 400, "invalid_path")
    for (const place of places) expectProblem(await of(place, "path=a&path=b"), 400, "invalid_field", { field: "path" })
  })
})
