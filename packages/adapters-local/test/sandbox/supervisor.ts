/**
 * A supervisor to be killed: starts one job and waits. With a number of milliseconds it then kills itself. With a folder its
 * jobs are started by a spawner, whose socket lies there.
 */
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { Effect, Layer } from "effect"
import { layerSpawner } from "../../src/spawner/Processes.ts"
import { layer } from "../../src/sandbox/LocalSandbox.ts"

const [force, cgroups, command = "true", when, folder] = process.argv.slice(2)
if (force !== "bubblewrap" && force !== "unshare") throw new Error(`unknown isolation ${force}`)

const limits = {
  wallMs: 600_000,
  cpuSeconds: 600,
  memoryBytes: 2 ** 29,
  processes: 256,
  diskBytes: 2 ** 24,
  outputBytes: 65_536
}

const program = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  yield* sandbox.isolation
  const dieAfterMs = Number(when)
  if (dieAfterMs >= 0) setTimeout(() => process.kill(process.pid, "SIGKILL"), dieAfterMs)
  const handle = yield* sandbox.start({ id: "one", command, files: new Map(), environment: {}, limits })
  if (when === "after") console.log("started")
  const state = yield* sandbox.poll(handle, 600_000)
  if (state._tag === "Finished") console.log(new TextDecoder().decode(state.result.output))
})

const sandbox = layer({ force, cgroups: cgroups === "cgroups" })
await Effect.runPromise(
  Effect.provide(program, folder === undefined ? sandbox : Layer.provide(sandbox, layerSpawner(folder)))
)
