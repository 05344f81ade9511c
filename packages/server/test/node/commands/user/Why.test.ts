import { describe, expect, it } from "vitest"
import type { Session } from "../../../../src/node/commands/user/Verb.ts"
import { why } from "../../../../src/node/commands/user/Why.ts"
import { ServerLimits } from "../../../../src/ServerLimits.ts"

interface Asked {
  readonly query?: { readonly cursor?: string; readonly order?: string }
}

/** What is said of a Candidate whose Change has so many steps. */
const whyOf = async (steps: number) => {
  const step = (at: number) => ({
    id: "chg_1",
    kind: "change",
    at: "now",
    actor: { id: "usr_1" },
    from: null,
    to: `s${at}`,
    reason: null
  })
  const history = ({ cursor, order }: Required<Asked>["query"]) => {
    const from = Number(cursor ?? 0)
    const all = Array.from({ length: steps }, (_, at) => step(at + 1))
    const items = (order === "newest" ? all.toReversed() : all).slice(from, from + 100)
    return { items, nextCursor: from + 100 < steps ? String(from + 100) : null }
  }
  const none = { blocks: [], waits: [], checks: [], conflicts: [], overlaps: [], tasks: [], deadLetters: [] }
  const approval = { owed: false, decision: null, decisions: [], missing: 0, required: 1 }
  const candidate = { id: "cand_1", status: "verified", reason: null }
  const change = { id: "chg_1", status: "verifying", reason: null }
  const answer = { ...none, approval, candidate, change, review: null, doubt: null, lane: null, next: "Wait." }
  const warned: Array<string> = []
  const ask = (name: string, asked: Asked) =>
    Promise.resolve(name === "candidates.why" ? answer : history(asked.query ?? {}))
  const { json, text = "" } = await why({
    given: ["cand_1"],
    client: () => ({ ask }),
    warn: (line: string) => void warned.push(line)
  } as unknown as Session)
  const shown = json as { readonly hasMoreHistory: boolean; readonly history: ReadonlyArray<{ readonly to: string }> }
  return { ...shown, text, warned }
}

describe("The history that why shows", () => {
  const most = ServerLimits.whySteps

  it("is whole, page by page, the first step first", async () => {
    const { hasMoreHistory, history, text, warned } = await whyOf(most)
    expect([history.length, history[0]?.to, history.at(-1)?.to]).toEqual([most, "s1", `s${most}`])
    expect([hasMoreHistory, warned, text.includes(`change s${most}, by`)]).toEqual([false, [], true])
  })

  it("is the newest part of what is longer, and says so", async () => {
    const { hasMoreHistory, history, warned } = await whyOf(most + 1)
    expect([history.length, history[0]?.to, history.at(-1)?.to]).toEqual([most, "s2", `s${most + 1}`])
    expect([hasMoreHistory, warned]).toEqual([
      true,
      [`chg_1 has more than ${most} steps: the newest ${most} are shown`]
    ])
  })
})
