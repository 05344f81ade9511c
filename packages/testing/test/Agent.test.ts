import { Effect } from "effect"
import { type AgentOutcome, layerScripted } from "@pawl/core/task/Agent"
import { agentContract } from "@pawl/testing/contracts/agents/AgentContract"

const usage = { modelCalls: 1, costUsd: 0.01 }
const outcomeOf = (end: AgentOutcome["_tag"]): AgentOutcome => {
  if (end === "Published") return { _tag: end, edits: { "hello.txt": "hello" }, message: "hello", intents: [], usage }
  if (end === "Answered") return { _tag: end, text: "hello", usage }
  return { _tag: end, reason: "because", usage }
}

agentContract("scripted", { layer: (end) => layerScripted(() => Effect.succeed(outcomeOf(end))) })
