/** A turn of a run, from what was kept of it to what is answered. */
import type { ToolCall } from "@pawl/core/agent/Models"
import type { ReadTurn } from "@pawl/core/agent/TurnHistory"
import type { SaidPart, TurnAnswer } from "../../api/TurnRecords.ts"

type KeptPart = NonNullable<ReadTurn["said"]>["parts"][number]

const calledTool = ({ id, input, name, raw }: ToolCall) => ({
  id,
  name,
  input: input ?? null,
  ...(input === null ? { raw } : {})
})

const saidPart = (part: KeptPart): SaidPart => {
  switch (part._tag) {
    case "User":
      return { from: "user", text: part.text }
    case "Assistant":
      return { from: "model", text: part.text, calls: part.calls.map(calledTool) }
    case "ToolResult":
      return { from: "tool", text: part.text, callId: part.id, failed: part.failed }
  }
}

/** A turn as it is answered. */
export const turnAnswer = ({ costUsd, modelCalls, said, turn }: ReadTurn): typeof TurnAnswer.Type => {
  if (said === null) return { turn, costUsd, modelCalls, asked: null, answered: null }
  const { after, answer, parts, system, tools } = said
  return {
    turn,
    costUsd,
    modelCalls,
    asked: { system, tools, after, parts: parts.map(saidPart) },
    answered: { text: answer.text, calls: answer.calls.map(calledTool), stop: answer.stop }
  }
}
