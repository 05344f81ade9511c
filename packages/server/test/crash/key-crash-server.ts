/**
 * A server that kills itself right before or after it writes one object: `PAWL_CRASH_KEY` is `before` or `after`, and
 * how the object's key ends. It is the real server with one port wrapped; nothing of this is in the product.
 */
import { Context, Effect } from "effect"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { type Around, type Call, wrap } from "@pawl/testing/tools/PortWrap"
import * as LogFormat from "../../src/node/telemetry/LogFormat.ts"
import * as Options from "../../src/node/Options.ts"
import * as Server from "../../src/node/Server.ts"
import { teardown } from "../../src/node/listen/Teardown.ts"

const [when, ending = ""] = (process.env["PAWL_CRASH_KEY"] ?? "").split(" ")

const die = Effect.sync(() => {
  process.kill(process.pid, "SIGKILL")
  // The signal is on its way: nothing more may happen.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
})

const writes = (call: Call): boolean =>
  call.method === "put" && typeof call.args[0] === "string" && call.args[0].endsWith(ending)

const around: Around = (call, effect) =>
  !writes(call) ? effect : when === "before" ? Effect.andThen(die, effect) : Effect.tap(effect, () => die)

const program = Effect.gen(function* () {
  const options = yield* Options.read({})
  const running = yield* Server.start(options, (ports) =>
    Context.add(ports, ObjectStore, wrap(ObjectStore, Context.get(ports, ObjectStore), around))
  )
  process.stdout.write(`ready http://127.0.0.1:${running.port}\n`)
  return yield* Effect.never
}).pipe(Effect.scoped, Effect.provide(LogFormat.layer))

NodeRuntime.runMain(program, { teardown })
