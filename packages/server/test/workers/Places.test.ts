import { describe, expect, it } from "vitest"
import { endpoints } from "../../src/http/request/Endpoints.ts"
import { isPromotion, placeOf } from "../../src/workers/Places.ts"

/** Ids that are the directory's own. */
const directorys = ["approvers", "organizations", "sessions", "tokens", "users"]

describe("The place of a request", () => {
  it("is found for each endpoint: a Project's object, the Project of a record, or the directory", () => {
    for (const { method, path } of endpoints) {
      const word = /^\/v1\/([a-z-]+)\/:id/.exec(path)?.[1]
      const place = placeOf(method, path.replace(":id", "some%2Fid").replaceAll(/:[a-z]+/g, "x"))
      if (method === "POST" && path === "/v1/projects") expect(place).toEqual({ _tag: "NewProject" })
      else if (word === undefined || directorys.includes(word)) expect([path, place._tag]).toEqual([path, "Directory"])
      else expect([path, place]).toEqual([path, expect.objectContaining({ id: "some/id" })])
    }
  })

  it("is the directory where a path is no path of the API, so that it says so", () => {
    for (const path of [
      "/",
      "/v1",
      "/v1/",
      "/v1/changes",
      "/v1/changes/",
      "/v1/nothing/x",
      "/v1/constructor/x",
      "/v2/changes/x"
    ])
      expect([path, placeOf("GET", path)._tag]).toEqual([path, "Directory"])
    expect(placeOf("GET", "/v1/projects/%E0%A4%A")).toEqual({ _tag: "Project", id: "%E0%A4%A" })
  })

  it("is the Project of git's paths, and the directory where they name none", () => {
    const id = `proj_${"0".repeat(36)}`
    expect(placeOf("GET", `/git/${id}.git/info/refs`)).toEqual({ _tag: "Project", id })
    for (const path of [`/git/${id}`, "/git/proj_x.git/info/refs", "/git/"])
      expect([path, placeOf("GET", path)._tag]).toEqual([path, "Directory"])
  })

  it("tells a promotion from all else", () => {
    const promotions = endpoints.filter(({ method, path }) => isPromotion(method, path.replace(":id", "x")))
    expect(promotions.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /v1/candidates/:id/promote"])
    expect(isPromotion("POST", "/v1/candidates/x/promote/")).toBe(true)
    expect(isPromotion("GET", "/v1/candidates/x/promote")).toBe(false)
  })
})
