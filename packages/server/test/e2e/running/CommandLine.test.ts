import { describe, expect, it } from "vitest"
import { pawl } from "../kit/Command.ts"

describe("A command line that is not understood", () => {
  // 1 is what `audit` ends with when it found a difference.
  it.each([
    { args: ["audit"], word: "project" },
    { args: ["why"], word: "candidate" },
    { args: ["audit", "proj_1", "--no-such-option"], word: "no-such-option" },
    { args: ["adit", "proj_1"], word: "subcommand" }
  ])("ends with 2, and says what is wrong: pawl $args", async ({ args, word }) => {
    const { code, output } = await pawl(args, {})
    expect(output).toContain(word)
    expect(code).toBe(2)
  })
})
