import { Schema } from "effect"
import { expect, it } from "vitest"
import { Change } from "@pawl/core/model/Change"
import { ModelCall } from "@pawl/core/model/ModelCall"
import { ModelCallId } from "@pawl/core/primitives/Ids"
import { change } from "@pawl/testing/tools/StoreFixtures"

const uuid = "00000000-0000-4000-8000-000000000001"

const call = (id: string) =>
  Schema.decodeUnknownSync(ModelCall)({
    id,
    projectId: `proj_${uuid}`,
    changeId: `chg_${uuid}`,
    purpose: "work",
    tier: "fast",
    model: "m",
    state: "lost",
    reserved_usd: 0.5,
    cost_usd: 0.5,
    inputTokens: 1,
    cachedTokens: 2,
    outputTokens: 3,
    startedAt: "2030-01-01T00:00:00.000Z",
    endedAt: null,
    updatedAt: "2030-01-01T00:00:00.000Z",
    reason: "it was cut"
  })

it("A call of a model has the names of the decisions on the wire", () => {
  const read = call(`mc_run_tsk_chg_${uuid}_a-b_1_2_3`)
  expect([read.status, read.reservedUsd, read.costUsd]).toEqual(["lost", 0.5, 0.5])
  expect(Object.keys(Schema.encodeSync(ModelCall)(read))).toEqual([
    "id",
    "projectId",
    "changeId",
    "purpose",
    "tier",
    "model",
    "state",
    "reserved_usd",
    "cost_usd",
    "inputTokens",
    "cachedTokens",
    "outputTokens",
    "startedAt",
    "endedAt",
    "updatedAt",
    "reason"
  ])
})

it.each([
  [`mc_run_tsk_chg_${uuid}_a_12_16_1`, true],
  [`mc_chg_${uuid}_plan_3_1`, true],
  [`mc_chg_${uuid}_review_${"0f".repeat(12)}_1_1`, true],
  [`mc_chg_${uuid}_review_1_1`, false],
  [`mc_chg_${uuid}_plan_1`, false],
  [`mc_tsk_chg_${uuid}_a_1_1`, false]
])("%s is the id of a call: %s", (id, is) => {
  expect(Schema.is(ModelCallId)(id)).toBe(is)
})

it("A Change that was stored before calls were paid for keeps nothing for them", () => {
  const { reserved_usd: _, ...older } = Schema.encodeSync(Change)(change())
  expect(Schema.decodeUnknownSync(Change)(older).reservedUsd).toBe(0)
})
