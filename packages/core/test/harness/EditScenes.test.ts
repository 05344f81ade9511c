import { builtInEdits } from "@pawl/testing/contracts/agents/BuiltInEdits"
import { editScenesContract } from "@pawl/testing/contracts/agents/EditScenesContract"
import { Effect } from "effect"

editScenesContract("the agent that is built in, without a parser", {
  parser: false,
  carryOut: (input, calls) => Effect.runPromise(builtInEdits(input, calls))
})
