import { Effect } from "effect"
import { layerScripted } from "@pawl/core/change/Planner"
import { plannerContract } from "@pawl/testing/contracts/agents/PlannerContract"

plannerContract("scripted", { layer: (tasks) => layerScripted(() => Effect.succeed(tasks)) })
