import { describe, expect, it } from "vitest"
import type { Candidate } from "../../src/candidate/CandidateQuery.ts"
import { isOfSite } from "../../src/preview/FrameCookies.ts"
import { whyNone, whyNotShown } from "../../src/preview/PreviewState.ts"
import { graphOf, measures } from "../../src/work/GraphLayout.ts"
import { cutTo, moneyWords, nextWords, raisedTo, runWords, stoppedWords, whyNot } from "../../src/work/WorkWords.ts"

const task = (key: string, ...dependsOn: ReadonlyArray<string>) => ({ key, dependsOn })

describe("The picture of a Work Graph", () => {
  it("puts each Task to the right of all that it waits for, and joins them", () => {
    const tasks = [task("d", "b", "c"), task("a"), task("b", "a"), task("c"), task("e", "d")]
    const { edges, nodes } = graphOf(tasks)
    const x = new Map(nodes.map((node) => [node.task.key, node.x]))
    for (const { dependsOn, key } of tasks)
      for (const before of dependsOn) expect(x.get(key)).toBeGreaterThanOrEqual(x.get(before)! + measures.width)
    expect(edges.map(({ id }) => id).toSorted()).toEqual(["a b", "b d", "c d", "d e"])
  })

  it("lets no two Tasks lie upon each other, and holds all of them", () => {
    const keys = Array.from({ length: 12 }, (_, at) => `t${at}`)
    const { height, nodes, width } = graphOf(
      keys.map((key, at) => task(key, ...keys.slice(0, at).filter((_, n) => n % 3 === 0)))
    )
    expect(nodes.length).toBe(12)
    for (const one of nodes) {
      expect(one.x + measures.width).toBeLessThanOrEqual(width)
      expect(one.y + measures.height).toBeLessThanOrEqual(height)
      for (const other of nodes)
        if (one !== other)
          expect(
            Math.abs(one.x - other.x) >= measures.width || Math.abs(one.y - other.y) >= measures.height,
            `${one.task.key} lies on ${other.task.key}`
          ).toBe(true)
    }
  })

  it("comes to an end for Tasks that wait for each other, or for what is not there, and for none", () => {
    expect(graphOf([task("a", "b"), task("b", "a"), task("c", "nowhere")]).nodes.length).toBe(3)
    expect(graphOf([])).toEqual({ nodes: [], edges: [], width: 0, height: 2 * measures.margin })
  })
})

describe("Words of work", () => {
  it.each([
    [0, "$0.00"],
    [0.0004, "$0.0004"],
    [1.2, "$1.20"]
  ])("%f dollars are %s", (usd, words) => expect(moneyWords(usd)).toBe(words))

  it("say how long a run took, or takes until now", () => {
    const startedAt = "2026-01-01T00:00:00.000Z"
    expect(runWords({ startedAt, endedAt: "2026-01-01T00:00:03.000Z" }, 0)).toBe("3 s")
    expect(runWords({ startedAt, endedAt: null }, Date.parse("2026-01-01T02:05:00Z"))).toBe("2 h 5 min")
  })

  it("say why a Task cannot be acted upon, and nothing where it can", () => {
    const blocked = { status: "blocked", blockedBy: "stopped", kind: "implement" } as const
    expect([whyNot("retry", blocked), whyNot("handOver", blocked), whyNot("note", blocked)]).toEqual([null, null, null])
    expect(whyNot("stop", blocked)).toBe("It does not run.")
    expect(whyNot("retry", { ...blocked, status: "running" })).toBe("Only a blocked Task is retried.")
    expect(whyNot("note", { ...blocked, status: "failed" })).toBe("The Task is failed.")
    expect(whyNot("handOver", { ...blocked, kind: "review" })).toMatch(/no ChangeSet/)
    expect(whyNot("handOver", { ...blocked, blockedBy: "person" })).toMatch(/A person/)
  })

  it("say what to do about what is stuck, and nothing of what goes on", () => {
    expect(nextWords({ status: "blocked", blockedBy: "budget" })).toMatch(/raises it/)
    expect(nextWords({ status: "failed" })).toMatch(/cancel the Change/)
    expect(nextWords({ status: "running" })).toBeNull()
    expect(cutTo("The opening hours of the shop", 12)).toBe("The opening…")
  })
})

describe("A preview", () => {
  const candidate = (status: string, kinds: ReadonlyArray<string> = ["build"]) =>
    ({ status, reason: null, plan_json: { checks: kinds.map((kind) => ({ kind })) } }) as unknown as Candidate

  it.each([
    ["composing", undefined, /is being composed/],
    ["verifying", undefined, /is being built/],
    ["rejected", "fail", /build failed/],
    ["rejected", "gap", /could not run/],
    ["rejected", undefined, /before it was built/]
  ])("of a Candidate that is %s (build: %s) is not there yet, and says why", (status, build, words) => {
    expect(whyNone(candidate(status), build)).toMatchObject({ isOver: false, words: expect.stringMatching(words) })
  })

  it("that was built has ended, after 7 days, and its address answers 410", () => {
    expect(whyNone(candidate("verified"), "pass")).toMatchObject({
      isOver: true,
      words: expect.stringMatching(/7 days.*410/)
    })
    const preview = { expiresAt: "2026-01-08T00:00:00.000Z", status: "live" } as Parameters<typeof whyNotShown>[0]
    expect(whyNotShown(preview, Date.parse("2026-01-07T23:59:59Z"))).toBeNull()
    expect(whyNotShown(preview, Date.parse("2026-01-08T00:00:00Z"))).toMatchObject({ isOver: true })
    expect(whyNotShown({ ...preview, status: "build_failed" }, 0)?.words).toMatch(/could not be built/)
  })

  it.each([
    ["localhost", "shop.apps.localhost", false],
    ["localhost", "localhost", true],
    ["example.com", "shop.apps.example.com", true],
    ["example.com", "shop.apps.example.net", false],
    ["example.com", "shop.myexample.com", false],
    ["127.0.0.1", "shop.apps.localhost", false]
  ])("in a console of the site %s, of an app at %s, keeps its cookies: %s", (site, app, keeps) => {
    expect(isOfSite(app, site)).toBe(keeps)
  })
})

describe("The money of a Change", () => {
  it("is proposed twice, to the cent, and never more than the server takes", () => {
    expect([0.09, 5, 2.335, 60].map(raisedTo)).toEqual(["0.18", "10", "4.67", "100"])
  })

  it("is told of where it stopped the work, in one sentence, and nowhere else", () => {
    expect(stoppedWords({ status: "budget_blocked", reason: "budget_exhausted: all is spent." })).toBe(
      "The work stopped: all is spent."
    )
    expect(stoppedWords({ status: "budget_blocked", reason: null })).toBe("The work stopped: the budget is spent.")
    expect(stoppedWords({ status: "failed", reason: null })).toBe("The work ended: no reason was given.")
    for (const status of ["running", "completed", "cancelled"] as const)
      expect(stoppedWords({ status, reason: "a reason" })).toBeNull()
  })
})
