import { layerMemory } from "@pawl/adapters-memory/MemorySandbox"
import { sandboxContract } from "@pawl/testing/contracts/sandbox/SandboxContract"
import { leaving } from "@pawl/testing/contracts/sandbox/SandboxCollection"
import { Effect } from "effect"

sandboxContract("memory", {
  layer: layerMemory((job) => {
    if (job.command.startsWith("sleep")) return Effect.never
    const code = Number(/exit (\d+)/.exec(job.command)?.[1] ?? 0)
    const output = job.command.startsWith("echo 0")
      ? "0123456789\n"
      : job.command.startsWith("echo")
        ? "out\nerr\n"
        : ""
    const left = { "dist/a.txt": "one", "dist/b/c.txt": "two", "other.txt": "no" }
    return { outcome: { _tag: "Exited", code }, output, left: job.command.startsWith(leaving) ? left : {} }
  })
})
