import { Effect } from "effect"
import { expect } from "vitest"
import { ModelRefused, ModelUnavailable } from "@pawl/core/agent/ModelFailures"
import { Models, type ModelsShape } from "@pawl/core/agent/Models"
import { demand } from "@pawl/core/ledger/Decision"
import { ModelCallLifecycle } from "@pawl/core/model/ModelCallLifecycle"
import { eachRow, type Hands, planned, publishes, taskOf, worked } from "../kit/WorkWorld.ts"
import { askOf, honest, newProvider } from "./Asking.ts"

/** A Change whose one agent asks once, and then publishes. */
const asking = (hands: Hands, script: ModelsShape["ask"]) =>
  Effect.gen(function* () {
    const provider = newProvider(script)
    hands.agents.set("a", [
      (job) =>
        Effect.andThen(job.turn(1, askOf("Begin.")), publishes(job)).pipe(Effect.catchTag("ModelRefused", Effect.die))
    ])
    const changeId = yield* Effect.provideService(worked(hands, [planned("a")]), Models, provider.models)
    const run = `run_tsk_${changeId}_a_1`
    const { record } = yield* demand("modelCall", `mc_${run}_1_1`)
    return {
      call: record,
      changeId,
      change: (yield* demand("change", changeId)).record,
      run: (yield* demand("taskRun", run)).record
    }
  })

eachRow(ModelCallLifecycle, "modelCall", {
  "reserved × answered → settled: what it cost is spent and counted to its run; the rest is given back": (hands) =>
    Effect.gen(function* () {
      const { call, change, changeId, run } = yield* asking(hands, honest)
      expect(call.costUsd).toBeGreaterThan(0)
      expect(call.costUsd).toBeLessThan(call.reservedUsd)
      // What its agent told beside its turns counts too.
      expect([change.spentUsd, change.reservedUsd, run.modelCalls]).toEqual([call.costUsd + 0.01, 0, 2])
      expect(run.costUsd).toBe(change.spentUsd)
      expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "completed" })
    }),

  "reserved × refusedUnpaid → refused: it costs nothing, and is told to nobody": (hands) =>
    Effect.gen(function* () {
      const { call, change, changeId } = yield* asking(
        hands,
        () => new ModelRefused({ kind: "credentials", status: 401, reason: "no such key" })
      )
      expect(call).toMatchObject({ costUsd: 0, failure: "credentials", reason: "no such key" })
      expect([change.spentUsd, change.reservedUsd, change.status]).toEqual([0, 0, "running"])
      expect(yield* taskOf(changeId, "a")).toMatchObject({ status: "blocked", blockedBy: "model" })
    }),

  "reserved × unaccounted → lost: its whole reservation is spent": (hands) =>
    Effect.gen(function* () {
      const { call, change } = yield* asking(
        hands,
        () => new ModelUnavailable({ kind: "cut", status: 200, retryAfterMs: null, charged: "unknown", reason: "cut" })
      )
      expect(call).toMatchObject({ costUsd: call.reservedUsd, failure: "cut" })
      expect([change.spentUsd, change.reservedUsd]).toEqual([call.reservedUsd, 0])
    })
})
