import { type Answer, type ToolCall } from "@pawl/core/agent/Models"
import { Agent, type AgentJob, type AgentOutcome } from "@pawl/core/task/Agent"
import { work } from "@pawl/core/harness/BuiltIn"
import { agentContract } from "@pawl/testing/contracts/agents/AgentContract"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import { call, inTurn, jobIn, newSource, nothingKept, plainOptions } from "../kit/AgentWorld.ts"
import { layer } from "../kit/MemoryPawl.ts"

const runtime = ManagedRuntime.make(Layer.mergeAll(layer, MemorySecrets.layerMemory))
const files = { "src/index.js": "export const one = 1\n", "result.txt": "fine\n" }
const source = runtime.runPromise(newSource(files))
source.catch(() => undefined)

const script: Readonly<Record<AgentOutcome["_tag"], ReadonlyArray<Answer | ToolCall>>> = {
  Published: [call("write", { path: "hello.txt", text: "hello" }), call("done", { message: "hello" })],
  Answered: [call("answer", { text: "hello" })],
  Retry: [call("list")],
  Escalate: [call("give_up", { reason: "hard", escalate: true })],
  Failed: [call("give_up", { reason: "no" })],
  Stopped: []
}

agentContract("built in", {
  asksByTurns: true,
  layer: () =>
    Layer.effect(
      Agent,
      Effect.map(runtime.contextEffect, (context) => ({
        work: (job: AgentJob) => Effect.provide(work(job, plainOptions), context)
      }))
    ),
  job: async (end) => {
    const { turn, remember, ...job } = jobIn(await source, inTurn(...script[end]), { kept: nothingKept() })
    const { change, run, source: tree, task } = job
    const kind = end === "Answered" ? ("research" as const) : task.kind
    const given = { change, run, source: tree, task: { ...task, kind }, remember }
    // A run whose turns are stopped is what the contract's own turn makes.
    return end === "Stopped" ? given : { ...given, turn }
  }
})
