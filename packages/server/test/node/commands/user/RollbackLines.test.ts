import { describe, expect, it } from "vitest"
import { planLines } from "../../../../src/node/commands/user/RollbackLines.ts"

const at = (generation: number) => ({ generation, commit: "c".repeat(40), tree: "d".repeat(40) })
const undone = (generation: number) => ({
  generation,
  promotedAt: "2026-01-01T00:00:00.000Z",
  change: {
    id: `chg_${generation}` as const,
    goal: `Goal ${generation}`,
    kind: "goal" as const,
    riskTier: "high" as const
  }
})
const plan = {
  head: at(2),
  target: at(1),
  changed: { files: [], filesTotal: 1, additions: 2, deletions: 3 },
  undone: [undone(2)],
  undoneTotal: 1,
  riskTier: "high" as const,
  checks: [],
  policyVersion: 1,
  approval: { owed: 1, signed: false, self: true },
  dataWarning: "Data stays as it is.",
  underWay: null
}

describe("The plan of a rollback at a terminal", () => {
  it("says what is undone, what changes, who must approve, and what stays", () => {
    expect(planLines(plan)).toEqual([
      "It undoes S2 chg_2 (high): Goal 2",
      "It changes 1 file, +2 -3",
      "Risk high: one person must approve",
      "Data stays as it is."
    ])
  })

  it("names the newest few, and counts the rest", () => {
    const [first] = planLines({ ...plan, undone: [9, 8, 7, 6, 5, 4].map(undone), undoneTotal: 9 })
    expect(first).toMatch(/^It undoes S9 .*S5 chg_5 \(high\): Goal 5; and 4 more before these$/)
    expect(planLines({ ...plan, undone: [{ ...undone(2), change: null }] })[0]).toBe("It undoes S2")
  })

  it("says what is owed of whom and how, what cannot be counted, and what is under way", () => {
    const lines = planLines({
      ...plan,
      changed: null,
      approval: { owed: 2, signed: true, self: false },
      dataWarning: null,
      underWay: { changeId: "chg_7", candidateId: "cand_7" }
    })
    expect(lines.slice(1)).toEqual([
      "What it changes is too much to be counted",
      "Risk high: 2 people must approve, each with a passkey, and not who asks for it",
      "It was asked for on this head already: Change chg_7"
    ])
    expect(planLines({ ...plan, approval: { owed: 0, signed: false, self: true } })[2]).toBe(
      "Risk high: no approval is owed"
    )
  })
})
