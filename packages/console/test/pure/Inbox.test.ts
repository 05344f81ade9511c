import { describe, expect, it } from "vitest"
import { inboxOf, type ProjectNews } from "../../src/inbox/InboxItems.ts"

const now = Date.parse("2026-03-10T12:00:00Z")
const at = (day: number) => `2026-03-0${day}T12:00:00.000Z`

type Change = ProjectNews["changes"][number]
type Candidates = NonNullable<ReturnType<ProjectNews["candidates"]["get"]>>

// What the Inbox reads of each; the rest of the records is none of its business.
const change = (id: string, status: Change["status"], updatedAt: string, reason: string | null = null) =>
  ({ id, status, updatedAt, reason, goal: `Goal of ${id}`, riskTier: "high", budget_usd: 5, spent_usd: 4.5 }) as Change
const candidates = (...statuses: ReadonlyArray<Candidates[number]["status"]>) =>
  statuses.map((status) => ({ status, reason: `it is ${status}` })) as unknown as Candidates
const letter = { id: "app.build:1", kind: "app.build", attempts: 5, lastProblem: "no disk", diedAt: at(5) }

const news = (part: Partial<ProjectNews>): ProjectNews => ({
  project: { label: "shop" } as ProjectNews["project"],
  changes: [],
  candidates: new Map(),
  deadLetters: [],
  ...part
})

describe("The Inbox", () => {
  it("has what waits for a person, approvals first, the newest first of each", () => {
    const items = inboxOf(
      [
        news({
          changes: [
            change("chg_f", "failed", at(8), "The planner gave up."),
            change("chg_b", "budget_blocked", at(9)),
            change("chg_1", "awaiting_approval", at(4)),
            change("chg_2", "awaiting_approval", at(6))
          ],
          deadLetters: [letter] as unknown as ProjectNews["deadLetters"]
        })
      ],
      now
    )
    expect(items.map(({ key }) => key)).toEqual(["chg_2", "chg_1", "chg_b", "app.build:1", "chg_f"])
    expect(items.map(({ to }) => to)).toContain("/p/shop/dead-letters")
    expect(items.find(({ key }) => key === "chg_b")?.why).toContain("$4.50 of $5.00")
  })

  it("has nothing of what goes on by itself, is over, or failed long ago", () => {
    const statuses = ["running", "verifying", "promoting", "completed", "cancelled"] as const
    const changes = statuses.map((status) => change(`chg_${status}`, status, at(9)))
    expect(inboxOf([news({ changes: [...changes, change("chg_old", "failed", at(2))] })], now)).toEqual([])
  })

  it("has a Change whose last Candidate was rejected, with its reason, and not one that goes on with another", () => {
    const changes = [change("chg_1", "verifying", at(9)), change("chg_2", "verifying", at(9))]
    const known = new Map([
      ["chg_1", candidates("stale", "rejected")],
      ["chg_2", candidates("rejected", "verifying")]
    ])
    expect(inboxOf([news({ changes, candidates: known })], now)).toMatchObject([
      { key: "chg_1", status: "rejected", why: "it is rejected" }
    ])
  })
})
