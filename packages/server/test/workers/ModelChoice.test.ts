import { Limits } from "@pawl/core/primitives/Limits"
import { describe, expect, it } from "vitest"
import { modelChoiceOf } from "../../../../deploy/cloudflare/ModelChoice.ts"
import { environmentOf } from "../e2e/kit/ScriptedTeam.ts"
import { ServerLimits } from "../../src/ServerLimits.ts"

const environment = environmentOf({ url: "https://models.example/v1/" })

describe("The models of a deployment", () => {
  it("are those that its environment names, with the defaults of a server on a machine and without the key", () => {
    const prices = { input: 1, cached: 0.1, output: 2 }
    const tier = (name: string) => ({ name, prices, contextTokens: ServerLimits.modelContextTokens })
    expect(modelChoiceOf(environment)).toEqual({
      endpoint: { dialect: "openai-chat", url: "https://models.example/v1" },
      tiers: { fast: tier("small"), balanced: tier("medium"), strong: tier("large") },
      callsPerDay: Limits.modelCallsPerDay
    })
    const other = { PAWL_MODEL_DIALECT: "anthropic-messages", PAWL_MODEL_CONTEXT: "1000", AGENT_DAILY_CALL_CAP: "7" }
    expect(modelChoiceOf({ ...environment, ...other })).toMatchObject({
      endpoint: { dialect: "anthropic-messages" },
      tiers: { fast: { contextTokens: 1000 } },
      callsPerDay: 7
    })
  })

  it("are none where it names none, and refused in words where it names them wrongly", () => {
    expect(modelChoiceOf({ PAWL_MODEL_URL: "" })).toBeNull()
    for (const [name, value] of [
      ["PAWL_MODEL_DIALECT", "other"],
      ["PAWL_MODEL_CONTEXT", "0"],
      ["AGENT_DAILY_CALL_CAP", "-1"],
      ["PAWL_MODEL_URL", "models.example"],
      ["PAWL_MODEL_PRICES", "cheap"],
      ["PAWL_MODEL_KEY", "two words"]
    ] as const)
      expect([name, modelChoiceOf({ ...environment, [name]: value })]).toEqual([name, expect.stringContaining(name)])
  })
})
