import { Syntax } from "@pawl/core/agent/Syntax"
import { builtInEdits } from "@pawl/testing/contracts/agents/BuiltInEdits"
import { editScenesContract } from "@pawl/testing/contracts/agents/EditScenesContract"
import { syntaxContract } from "@pawl/testing/contracts/agents/SyntaxContract"
import { Effect, ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { layer } from "@pawl/adapters-local/symbols/BabelSymbols"

syntaxContract("BabelSymbols", { layer, code: true })

/** One process for all scenes. */
describe("With the parser that builds have", () => {
  const runtime = ManagedRuntime.make(layer)
  afterAll(() => runtime.dispose())

  editScenesContract("the agent that is built in", {
    parser: true,
    carryOut: (input, calls) => runtime.runPromise(builtInEdits(input, calls))
  })

  const check = (path: string, text: string) =>
    runtime.runPromise(Effect.flatMap(Syntax, (syntax) => syntax.check(path, text)))

  it("an error is told with its line and what stands there", async () => {
    expect(await check("a.ts", "const a = 1\nconst b: = 2\n")).toBe("line 2: Unexpected token\nconst b: = 2")
  })

  it("a name that is taken is an error, types in plain code are one, and no type is checked", async () => {
    expect(await check("a.js", "let a = 1\nlet a = 2\n")).toContain("line 2: Identifier 'a' has already been declared")
    expect(await check("a.js", "const a: number = 1\n")).toContain("line 1")
    expect(await check("a.ts", "const a: number = 'one'\n")).toBeNull()
  })
})
