import { changeStatuses } from "@pawl/core/model/Change"
import { describe, expect, it } from "vitest"
import { budgetProblem } from "../../src/change/Budget.ts"
import { filtersIn, inOrder, isFiltering, openStatuses, queryOf } from "../../src/change/ChangeFilters.ts"
import { currentOf, isUnderWay } from "../../src/change/Current.ts"
import { goingOf } from "../../src/change/Going.ts"
import { nameOf, withNames } from "../../src/change/Names.ts"
import { holdsAll, nextWithout, titleOf, waysOn, withoutNothing, withoutRequests } from "../../src/change/Next.ts"
import { passagesOf, type Step } from "../../src/change/Passages.ts"
import type { Candidate, Change } from "../../src/change/Records.ts"
import { shownStatus } from "../../src/change/ShownStatus.ts"
import { waysToSend } from "../../src/change/WaysToSend.ts"

// Of records that the server makes, only what is read here.
const candidate = (id: string, status: string): Candidate => ({ id, status }) as unknown as Candidate
const change = (fields: Partial<Change>): Change => fields as Change

describe("The Candidate that is looked at", () => {
  it("is the wanted one, else the promoted, else the newest that can still be, else the newest", () => {
    const all = [candidate("a", "stale"), candidate("b", "verified"), candidate("c", "rejected")]
    expect(currentOf(all, "a")?.id).toBe("a")
    expect(currentOf(all, "gone")?.id).toBe("b")
    expect(currentOf([...all, candidate("d", "verifying")], null)?.id).toBe("d")
    expect(currentOf([candidate("p", "promoted"), ...all], null)?.id).toBe("p")
    expect(currentOf([candidate("a", "stale"), candidate("c", "rejected")], null)?.id).toBe("c")
    expect(currentOf([], null)).toBeNull()
  })

  it("is under way while it is composed and checked, and while its Change is worked, in the lane, promoted or released", () => {
    expect(isUnderWay({ status: "verifying" }, candidate("a", "verifying"))).toBe(true)
    expect(isUnderWay({ status: "verifying" }, candidate("a", "verified"))).toBe(false)
    expect(isUnderWay({ status: "releasing" }, candidate("a", "promoted"))).toBe(true)
    expect(isUnderWay({ status: "created" }, null)).toBe(false)
    expect(isUnderWay({ status: "verifying", laneEntryId: "ent_1" }, null)).toBe(true)
    expect(isUnderWay({ status: "verifying", laneEntryId: null }, candidate("a", "verified"))).toBe(false)
  })
})

describe("The status of a Change on its own page", () => {
  const shown = (fields: Partial<Change>, of: Candidate | null) => shownStatus(change(fields), of, null)

  it("says whose turn it is where the API says verifying of all whose work is there", () => {
    const verifying = { status: "verifying" } as const
    expect(shown(verifying, null)).toEqual({ of: "created", words: "Needs a Candidate" })
    expect(shown(verifying, candidate("a", "composing"))).toEqual({ of: "composing" })
    expect(shown(verifying, candidate("a", "verifying"))).toEqual({ of: "verifying" })
    expect(shown(verifying, candidate("a", "verified"))).toEqual({ of: "verified", words: "Ready to promote" })
    expect(shown(verifying, candidate("a", "rejected"))).toEqual({ of: "rejected" })
    expect(shown({ ...verifying, laneEntryId: "ent_1" }, candidate("a", "verified"))).toEqual({
      of: "verifying",
      words: "In the lane"
    })
  })

  it("does not ask for an approval that was given", () => {
    const owes = change({ status: "awaiting_approval" })
    const of = (decision: "granted" | null) => shownStatus(owes, candidate("a", "verified"), { approval: { decision } })
    expect(of(null)).toEqual({ of: "awaiting_approval" })
    expect(of("granted")).toEqual({ of: "verified", words: "Ready to promote" })
  })

  it("is the Change's own everywhere else", () => {
    for (const status of changeStatuses.filter((each) => each !== "verifying"))
      expect(shown({ status }, candidate("a", "verified"))).toEqual({ of: status })
  })
})

describe("What is next", () => {
  it("has none of the requests in it that the server names for programs", () => {
    expect(withoutRequests("Promote it: POST /v1/candidates/cand_1/promote.")).toBe("Promote it.")
    expect(withoutRequests("Decide on it; 2 people must: POST /v1/changes/chg_1/approve.")).toBe(
      "Decide on it; 2 people must."
    )
    expect(
      withoutRequests(
        'No check failed, but test could not run: ask for it again (POST /v1/changes/chg_1/candidates with "retry": true).'
      )
    ).toBe("No check failed, but test could not run: ask for it again.")
    expect(
      withoutRequests("ask for the same Candidate again (POST /v1/changes/chg_1/candidates), and it is planned anew.")
    ).toBe("ask for the same Candidate again, and it is planned anew.")
    expect(withoutRequests("Wait: its checks are running.")).toBe("Wait: its checks are running.")
  })

  it("is said before there is a Candidate too", () => {
    expect(nextWithout(change({ status: "created", reason: null }), 0)).toBe("Send a ChangeSet.")
    expect(nextWithout(change({ status: "verifying", reason: null }), 2)).toBe(
      "Request a Candidate of its 2 ChangeSets."
    )
    expect(nextWithout(change({ status: "failed", reason: "no plan" }), 0)).toContain("no plan")
    expect(nextWithout(change({ status: "budget_blocked", reason: "budget_exhausted: all is spent" }), 0)).toBe(
      "Raise its budget on the tab Work, or cancel the Change: all is spent."
    )
  })

  it("is headed by what there is, where the server says first that there is nothing to do", () => {
    expect(withoutNothing("Nothing: it is S1.")).toBe("Done: it is S1.")
    expect(withoutNothing("Nothing: it is S12, and its release is deployed.")).toBe(
      "Done: it is S12, and its release is deployed."
    )
    expect(withoutNothing(nextWithout(change({ status: "completed", reason: null }), 1))).toBe("Done: it is completed.")
    expect(withoutNothing(nextWithout(change({ status: "cancelled", reason: null }), 0))).toMatch(
      /^It was cancelled\. /
    )
    expect(withoutNothing("Promote it.")).toBe("Promote it.")
  })

  it("leads on from each Change that is over, and from no other; to no new one of a Project that is archived", () => {
    const leads = (status: Change["status"], isArchived = false) =>
      waysOn(change({ status }), "shop", isArchived).map(({ to }) => to)
    for (const status of changeStatuses.filter((each) => !openStatuses.includes(each)))
      expect(leads(status)).toEqual([
        "/p/shop",
        "/p/shop/changes?new",
        ...(status === "completed" ? ["/p/shop/rollback"] : [])
      ])
    for (const status of openStatuses) expect(leads(status)).toEqual([])
    expect(leads("completed", true)).toEqual(["/p/shop"])
  })

  it("knows whether a Candidate holds all ChangeSets", () => {
    const held = { changeSets: ["cs_1", "cs_2"] } as unknown as Candidate
    expect(holdsAll(held, ["cs_1"])).toBe(true)
    expect(holdsAll(held, ["cs_1", "cs_3"])).toBe(false)
  })
})

describe("The title of a Change", () => {
  it("is the first line of its goal, cut at a word where it is long", () => {
    expect(titleOf("Say when we are open\n\nOn each page.")).toBe("Say when we are open")
    const long = titleOf("word ".repeat(40))
    expect(long).toMatch(/^(word ){19}word…$/)
    expect(titleOf("x".repeat(300))).toHaveLength(101)
  })
})

describe("The filters of the Changes", () => {
  it("call open every status that there is, but for the three that end a Change", () => {
    const ended = ["completed", "failed", "cancelled"]
    expect(openStatuses).toEqual(changeStatuses.filter((status) => !ended.includes(status)))
  })

  const asked = (search: string) => queryOf(filtersIn(new URLSearchParams(search)))

  it("ask the server for what stands in the address, all of it at once", () => {
    expect(asked("")).toEqual({})
    expect(asked("status=open")).toEqual({ status: openStatuses })
    expect(asked("status=over")).toEqual({ status: ["completed", "failed", "cancelled"] })
    expect(asked("status=created&kind=rollback&risk=low&q=+Say+when+&order=moved")).toEqual({
      status: ["created"],
      kind: "rollback",
      riskTier: "low",
      q: "Say when"
    })
    expect(asked(`q=${"x".repeat(300)}`)).toEqual({ q: "x".repeat(200) })
  })

  it("are not there where the address names what there is not, or nothing", () => {
    const search = "status=opened&kind=goals&risk=severe&q=++&order=nonsense"
    expect(asked(search)).toEqual({})
    expect(isFiltering(filtersIn(new URLSearchParams(search)))).toBe(false)
    expect(isFiltering(filtersIn(new URLSearchParams("order=moved")))).toBe(false)
    expect(isFiltering(filtersIn(new URLSearchParams("q=a")))).toBe(true)
  })

  it("order by the last move when they are told to, and an order leaves nothing out", () => {
    const all = [
      change({ id: "chg_3" as Change["id"], updatedAt: "3" }),
      change({ id: "chg_2" as Change["id"], updatedAt: "9" }),
      change({ id: "chg_1" as Change["id"], updatedAt: "5" })
    ]
    const ordered = (search: string) => inOrder(all, filtersIn(new URLSearchParams(search))).map(({ id }) => id)
    expect(ordered("order=moved")).toEqual(["chg_2", "chg_1", "chg_3"])
    expect(ordered("order=nonsense")).toEqual(["chg_3", "chg_2", "chg_1"])
  })
})

describe("A promoted generation", () => {
  const app = (status: string, generation: number | null) => ({ status, generation }) as Parameters<typeof goingOf>[1]
  const release = (status: string, reason: string | null = null) =>
    ({ status, reason }) as Parameters<typeof goingOf>[2]

  it("is live only when its release is over and the app serves it", () => {
    expect(goingOf(1, app("live", 0), release("queued"))).toEqual({
      words: "S1 is canonical; its release is under way",
      status: "releasing"
    })
    expect(goingOf(1, app("live", 1), release("building")).status).toBe("releasing")
    expect(goingOf(1, app("live", 0), release("deployed")).status).toBe("promoted")
    expect(goingOf(1, app("building", 1), null).status).toBe("promoted")
    expect(goingOf(1, app("live", 1), release("deployed"))).toEqual({ words: "S1 is live", status: "live" })
  })

  it("says why its release failed, what took its place, and that there is no app", () => {
    expect(goingOf(1, app("live", 0), release("smoke_failed", "GET / was 500")).words).toContain("GET / was 500")
    expect(goingOf(1, app("live", 4), release("superseded")).words).toBe("S1 was promoted; S4 is live now")
    expect(goingOf(1, null, null).words).toContain("there is no app")
  })
})

describe("Passages of a history", () => {
  it("hold what one commit did, in its order", () => {
    const step = (at: string, commit: string, id: string): Step =>
      ({ at, commit, id, actor: { type: "user", id: "usr_1" } }) as unknown as Step
    const passages = passagesOf([step("1", "A", "a"), step("1", "A", "b"), step("1", "B", "c"), step("2", "B", "d")])
    expect(passages.map(({ steps }) => steps.map(({ id }) => id))).toEqual([["a", "b"], ["c"], ["d"]])
  })
})

describe("Words of a Change", () => {
  it("name people where they are known, and Pawl by what it does", () => {
    const names = new Map([["usr_2", "Ann"]])
    expect(nameOf("usr_1", "usr_1", names)).toBe("you")
    expect(nameOf("usr_2", "usr_1", names)).toBe("Ann")
    expect(nameOf("usr_0123456789", "usr_1", names)).toBe("usr_01234567")
    const id = "usr_d780718e-28ec-4888-b881-0f29b1ebaee2"
    expect(withNames(`rejected by ${id}: and not by usr_x`, () => "you")).toBe("rejected by you: and not by usr_x")
    expect(nameOf("system:auto-promotion", null, names)).toBe("Pawl (auto promotion)")
  })

  it("take a budget above 0 and up to 100 with two decimals", () => {
    for (const good of ["1", "0.01", "100", "2.50", " 5 "]) expect(budgetProblem(good)).toBeNull()
    for (const bad of ["", "0", "100.01", "1.234", "-1", "1e2", "five"]) expect(budgetProblem(bad)).not.toBeNull()
  })

  it("show each way to send a ChangeSet to this very Change", () => {
    const ways = waysToSend({ change: "chg_1", label: "shop", origin: "http://localhost:1", project: "proj_1" })
    expect(ways.map(({ title }) => title)).toEqual(["Here", "An assistant (MCP)", "Command line", "git", "curl"])
    for (const { lines } of ways.slice(1)) expect(lines).toContain("chg_1")
  })

  it("say what each asks for who it is: git for any user name and the token, the command line for this browser", () => {
    const ways = waysToSend({ change: null, label: "shop", origin: "http://localhost:1", project: "proj_1" })
    const way = (wanted: string) => ways.find(({ title }) => title === wanted)!
    expect(way("git").words).toContain("a user name, which can be anything, and for a password: that is the token")
    expect(way("curl").words).toContain("$TOKEN is the token")
    expect(way("An assistant (MCP)").words).toContain("a token of its own")
    expect(way("Command line").lines).toContain("pawl login http://localhost:1 --web")
  })
})
