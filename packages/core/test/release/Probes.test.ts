import { describe, expect, it } from "vitest"
import { judgeProbe, probesOf, routesDeclared } from "@pawl/core/release/Probes"

const answer = (status: number, text = "", contentType: string | null = null) => ({
  status,
  contentType,
  body: new TextEncoder().encode(text)
})
const root = { path: "/", expects: 200, json: false } as const
const api = { path: "/api", expects: 200, json: true } as const
const added = { path: "/new", expects: "reachable", json: false } as const

describe("A release probe", () => {
  it("takes a route that was found in the code and answers no GET for none, and one that was declared for a failure", () => {
    const route = { path: "/form", expects: "reachable", json: false } as const
    expect(judgeProbe({ ...route, found: true }, answer(405)).result).toBe("pass")
    expect(judgeProbe(route, answer(405)).result).toBe("fail")
    expect(judgeProbe({ ...route, found: true }, answer(404)).result).toBe("fail")
  })

  it("takes no response as a gap, never as a pass", () => {
    expect(judgeProbe(root, null).result).toBe("gap")
  })

  it("wants the very status, and JSON where JSON was promised", () => {
    expect(judgeProbe(root, answer(200)).result).toBe("pass")
    expect(judgeProbe(root, answer(204)).result).toBe("fail")
    expect(judgeProbe(api, answer(200, "{}", "application/json")).result).toBe("pass")
    expect(judgeProbe(api, answer(200, "<p>", "application/json")).result).toBe("fail")
    expect(judgeProbe(api, answer(200, "{}", "text/html")).result).toBe("fail")
  })

  it("takes 2xx, 401 or 403 from an added route, and never 404", () => {
    const passing = [200, 204, 299, 401, 403]
    for (const status of [...passing, 301, 400, 404, 405, 500])
      expect(`${status} ${judgeProbe(added, answer(status)).result}`).toBe(
        `${status} ${passing.includes(status) ? "pass" : "fail"}`
      )
  })

  it("is asked of at most two added routes, beside the tree's own", () => {
    const probes = probesOf(
      [{ path: "/hours", status: 204 }],
      ["/hours", "/two", "/three", "/four"].map((path) => ({ path })),
      2
    )
    expect(probes.map((probe) => [probe.path, probe.expects])).toEqual([
      ["/hours", 204],
      ["/two", "reachable"],
      ["/three", "reachable"]
    ])
  })

  it("takes static GET routes that were declared to be written", () => {
    const route = (value: string, mode: "read" | "write" = "write") => ({ kind: "route" as const, value, mode })
    const declared = [
      route("POST /orders"),
      route("/read", "read"),
      { kind: "path" as const, value: "/src", mode: "write" as const },
      route("/users/:id"),
      route("/files/*"),
      route("//elsewhere"),
      route("https://elsewhere/x"),
      route("GET /hours"),
      route("/hours"),
      route(" /two "),
      route("/three")
    ]
    expect(routesDeclared(declared)).toEqual(["/hours", "/two", "/three"])
    expect(routesDeclared(declared.slice(0, 7))).toEqual([])
  })
})
