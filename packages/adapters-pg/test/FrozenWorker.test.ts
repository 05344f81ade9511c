import { Effect } from "effect"
import { expect, it } from "vitest"
import { EventLog } from "@pawl/core/event/EventLog"
import { insert } from "@pawl/core/ledger/Commit"
import { change, changeId, claim, command, commit, projectId, send, stored } from "@pawl/testing/tools/StoreFixtures"
import { childOf } from "./Child.ts"
import { newSchema, onPostgres, storesOn, url } from "./PgFixture.ts"

const leaseMs = "4000"

onPostgres("Workers over one Postgres", () => {
  it("do no harm when one is frozen past its lease in the middle of a step, and thawed", () => {
    const schema = newSchema()
    return Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          yield* commit({ writes: [insert("change", change())] })
          const frozen = yield* childOf("FrozenWorker", [url, schema, "frozen", leaseMs])
          yield* send([command("a")])
          for (const said of ["claimed", "one", "working"]) expect(yield* frozen.line).toBe(said)
          yield* frozen.signal("SIGSTOP")
          const other = yield* childOf("FrozenWorker", [url, schema, "other", "60000"])
          // The first step is journalled: the other goes on from the second.
          for (const said of ["claimed", "working"]) expect(yield* other.line).toBe(said)
          yield* frozen.signal("SIGCONT")
          yield* frozen.tell("go on\n")
          for (const said of ["failed LeaseLost", "executed"]) expect(yield* frozen.line).toBe(said)
          yield* other.tell("go on\n")
          for (const said of ["done", "executed"]) expect(yield* other.line).toBe(said)
          const log = yield* EventLog
          expect((yield* log.read(projectId(), 0, 100)).map((each) => each.data)).toEqual([{ by: "other" }])
          expect((yield* stored("change", changeId())).record.spentUsd).toBe(1)
          expect(yield* claim()).toEqual([])
        }).pipe(Effect.scoped),
        storesOn(schema)
      )
    )
  })
})
