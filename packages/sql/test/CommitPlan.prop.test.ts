import { rounds, seed } from "@pawl/testing/Depth"
import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"
import type { NewCommand } from "@pawl/core/model/Command"
import type { NewEvent } from "@pawl/core/model/Event"
import { type Commit, insert, update, type Write } from "@pawl/core/ledger/Commit"
import type { RecordOf } from "@pawl/core/model/Entities"
import { atMostBytes, planOf } from "@pawl/sql/CommitPlan"
import { recordsOf, texts } from "./AnyRecord.ts"

const writes: FastCheck.Arbitrary<Write> = FastCheck.oneof(
  recordsOf("release").map((record) => insert("release", record as RecordOf<"release">)),
  recordsOf("token").map((record) => insert("token", record as RecordOf<"token">)),
  FastCheck.tuple(recordsOf("candidate"), FastCheck.nat()).map(([record, revision]) =>
    update("candidate", { record: record as RecordOf<"candidate">, revision }, {})
  ),
  FastCheck.tuple(texts, FastCheck.nat()).map(([id, revision]): Write => ({
    _tag: "Delete",
    kind: "task",
    id,
    revision
  }))
)

const events: FastCheck.Arbitrary<NewEvent> = FastCheck.record({
  type: FastCheck.constant("canonical.advanced" as const),
  subject: texts,
  data: FastCheck.dictionary(texts, texts),
  actor: FastCheck.record({ type: FastCheck.constant("user" as const), id: texts })
})

const commands: FastCheck.Arbitrary<NewCommand> = FastCheck.record(
  {
    kind: FastCheck.constant("release.run" as const),
    id: texts,
    payload: FastCheck.dictionary(texts, texts),
    delayMs: FastCheck.maxSafeNat(),
    maxAttempts: FastCheck.maxSafeNat(),
    leasedBy: FastCheck.record({ token: texts, leaseMs: FastCheck.maxSafeNat() })
  },
  { requiredKeys: ["kind", "id", "payload"] }
)

const commits: FastCheck.Arbitrary<Commit> = FastCheck.record({
  name: FastCheck.constant("Any.commit"),
  projectId: FastCheck.constant("proj_1"),
  writes: FastCheck.array(writes, { maxLength: 5 }),
  events: FastCheck.array(events, { maxLength: 40 }),
  commands: FastCheck.array(commands, { maxLength: 40 }),
  journal: FastCheck.record({ process: texts, step: texts, result: FastCheck.jsonValue() })
})

/** What `CommitRules` measures. */
const sizeBytes = (commit: Commit): number => {
  const stored = commit.writes?.map((write) => ({ ...write, from: undefined }))
  return Buffer.byteLength(JSON.stringify([stored, commit.events, commit.commands, commit.journal]))
}

describe("a plan", () => {
  it.each(["sqlite", "pg"] as const)("bounds the size of any commit from above, on %s", (dialect) => {
    FastCheck.assert(
      FastCheck.property(commits, (commit) => {
        const eventIds = Array.from({ length: commit.events?.length ?? 0 }, () => "")
        const plan = planOf(commit, { dialect, now: 0, eventIds })
        expect(atMostBytes(commit, plan)).toBeGreaterThanOrEqual(sizeBytes(commit))
      }),
      { numRuns: rounds({ quick: 30, deep: 300, long: 3000 }), seed }
    )
  })
})
