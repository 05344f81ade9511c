import { describe, expect, it } from "vitest"
import { inVerbs, verbsOf } from "../../../src/node/commands/RequestVerbs.ts"

describe("What the server says to do, at a terminal", () => {
  it.each([
    ["Decide on it: POST /v1/changes/chg_1/approve.", "Decide on it: pawl approve chg_1."],
    [
      "Promote it: POST /v1/candidates/cand_1/promote. Task a is failed.",
      "Promote it: pawl promote cand_1. Task a is failed."
    ],
    ["Ask again (POST /v1/changes/chg_1/candidates), and wait.", "Ask again (pawl candidate create chg_1), and wait."],
    [
      'Ask again (POST /v1/changes/chg_1/candidates with "retry": true).',
      "Ask again (pawl candidate create chg_1 --retry)."
    ],
    ["Ask anew: POST /v1/projects/proj_1/rollback.", "Ask anew: pawl rollback --project proj_1."],
    [
      "Have it land: POST /v1/changes/chg_1/land. Nobody has.",
      "Have it land: pawl api POST /v1/changes/chg_1/land. Nobody has."
    ],
    ["Wait: its checks are running.", "Wait: its checks are running."]
  ])("%s", (sentence, words) => {
    expect(inVerbs(sentence)).toBe(words)
    const commands = verbsOf(sentence).map(({ command }) => command)
    expect(commands.length).toBe(words.includes("pawl ") ? 1 : 0)
    for (const command of commands) expect(words).toContain(command)
  })
})
