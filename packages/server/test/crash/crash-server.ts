/**
 * A server that kills itself at one named place, as `PAWL_CRASH_AT` says, or records every place it passes into
 * `PAWL_CRASH_RECORD`. With `PAWL_CRASH_NUMBERED` each pass is a place of its own, and `PAWL_CRASH_AT` its number. It is the real server with the ports wrapped; nothing of this is in the product.
 */
import { openSync, writeSync } from "node:fs"
import { Context, Effect } from "effect"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { AppData } from "@pawl/core/app/AppData"
import { AppBuilder } from "@pawl/core/bundle/AppBuilder"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { Commands } from "@pawl/core/work/Commands"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Repositories } from "@pawl/core/project/Repositories"
import * as CrashPoints from "@pawl/testing/tools/CrashPoints"
import { type Call, wrap } from "@pawl/testing/tools/PortWrap"
import * as LogFormat from "../../src/node/telemetry/LogFormat.ts"
import * as Options from "../../src/node/Options.ts"
import * as Server from "../../src/node/Server.ts"
import { teardown } from "../../src/node/listen/Teardown.ts"

/** Calls that change something, or start something. Reads are left alone: dying there is dying before the next write. */
const changing: Readonly<Record<string, ReadonlyArray<string>>> = {
  Ledger: ["commit"],
  ObjectStore: ["put", "create", "copy", "remove", "removePrefix"],
  Repositories: ["fork", "commit", "merge", "commitTree", "advance", "remove"],
  AppData: ["wipe"],
  Sandbox: ["start", "cancel"],
  AppBuilder: ["start", "cancel"],
  Commands: ["finish"]
}
const counts = (call: Call): boolean => changing[call.port]?.includes(call.method) === true

const record = process.env["PAWL_CRASH_RECORD"]
const at = process.env["PAWL_CRASH_AT"]

const log = record === undefined ? null : openSync(record, "a")
const points = CrashPoints.make({
  ...(at === undefined ? {} : { at }),
  numbered: process.env["PAWL_CRASH_NUMBERED"] !== undefined,
  die: () => {
    process.kill(process.pid, "SIGKILL")
    // The signal is on its way: nothing more may happen.
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
  },
  counts,
  onPass: (place) => {
    if (log !== null) writeSync(log, `${place}\n`)
  }
})

const each =
  <I, S extends object>(tag: Context.Key<I, S>) =>
  <R>(ports: Context.Context<R | I>): Context.Context<R | I> =>
    Context.add(ports, tag, wrap(tag, Context.get(ports as Context.Context<I>, tag), points.around)) as Context.Context<
      R | I
    >

const program = Effect.gen(function* () {
  // Without a console no link to sign in by is made, which is a write before the server is ready.
  const options = { ...(yield* Options.read({})), console: false }
  const running = yield* Server.start(options, (ports) =>
    ports.pipe(
      each(Ledger),
      each(ObjectStore),
      each(Repositories),
      each(Sandbox),
      each(AppBuilder),
      each(Commands),
      each(AppData)
    )
  )
  process.stdout.write(`ready http://127.0.0.1:${running.port}\n`)
  return yield* Effect.never
}).pipe(Effect.scoped, Effect.provide(LogFormat.layer))

NodeRuntime.runMain(program, { teardown })
