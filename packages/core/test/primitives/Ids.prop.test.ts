import { Effect, Random, Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Ids from "@pawl/core/primitives/Ids"

const uuid = fc.uuid({ version: 4 })
const key = fc.stringMatching(/^[a-z0-9-]{1,40}$/)

describe("Ids", () => {
  it("nest whole ids, and each is valid for its own schema and for no other", () =>
    fc.assert(
      fc.property(uuid, key, fc.integer({ min: 1, max: 999 }), (id, name, attempt) => {
        const task = Ids.taskId(`chg_${id}`, name)
        const run = Ids.runId(task, attempt)
        const schemas = [Ids.ChangeId, Ids.TaskId, Ids.AgentId, Ids.RunId, Ids.ChangeSetId] as const
        const values = [`chg_${id}`, task, Ids.agentId(task), run, Ids.changeSetId(run)]
        expect(values.slice(1)).toEqual([
          `tsk_chg_${id}_${name}`,
          `agt_tsk_chg_${id}_${name}`,
          `run_tsk_chg_${id}_${name}_${attempt}`,
          `cs_run_tsk_chg_${id}_${name}_${attempt}`
        ])
        values.forEach((value, i) =>
          schemas.forEach((schema, j) => expect(Schema.is(schema as Schema.Codec<string>)(value)).toBe(i === j))
        )
      })
    ))

  it("are drawn as version 4 UUIDs and as ULIDs that sort by time", async () => {
    const drawn = await Effect.runPromise(
      Effect.all([Effect.replicateEffect(Ids.makeUuid, 200), Effect.replicateEffect(Ids.makeUlid, 200)]).pipe(
        Random.withSeed("seed")
      )
    )
    for (const each of drawn[0]) expect(Schema.is(Ids.ProjectId)(`proj_${each}`)).toBe(true)
    for (const each of drawn[0])
      expect(each).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    for (const each of drawn[1]) expect(Schema.is(Ids.EvidenceId)(`evd_${each}`)).toBe(true)
    expect(new Set([...drawn[0], ...drawn[1]]).size).toBe(400)
    const times = drawn[1].map((each) => each.slice(0, 10))
    expect(times).toEqual(times.toSorted())
  })

  it("names previews by the first 8 of the 24 hex characters, and versions by 7 digits", () => {
    expect(Ids.previewId("cand_0123456789abcdef01234567")).toBe("01234567")
    expect(Ids.versionId(12)).toBe("v0000012")
  })
})
