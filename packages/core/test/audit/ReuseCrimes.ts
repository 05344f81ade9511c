/** A history whose evidence repeats other evidence, and what somebody might do to these rows. */
import { Effect } from "effect"
import type { FindingCode } from "@pawl/core/model/Audit"
import type { Kind, RecordOf } from "@pawl/core/model/Entities"
import type { Evidence } from "@pawl/core/model/Evidence"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { reusing, rowsOf } from "../kit/ClosedSandbox.ts"
import { person, settle } from "../kit/MemoryPawl.ts"
import { candidateOf } from "../kit/Scenes.ts"
import type { Tamper } from "./AuditCrimes.ts"

const inputs = ["src/**", "result.txt"]
const edit = { "src/index.js": "export default { fetch: () => new Response('two') }" }

/** S1 stands on evidence of the same tree, S2 on that of the same declared inputs. */
export const repeatedHistory = Effect.gen(function* () {
  const project = yield* reusing("inputs", { checks: [{ id: "test", command: "node --test", inputs }] })
  yield* candidateOf(project.id, "one", edit)
  const two = yield* candidateOf(project.id, "two", edit)
  yield* Promotions.promote(person, two.id)
  yield* settle
  const three = yield* candidateOf(project.id, "three", { "README.md": "words" })
  yield* Promotions.promote(person, three.id)
  yield* settle
  return { projectId: project.id, byTree: yield* rowsOf(two.id), byInputs: yield* rowsOf(three.id), three: three.id }
})
type Repeated = Effect.Success<typeof repeatedHistory>

/** One of them. */
export interface ReuseCrime {
  readonly what: string
  readonly generation: number
  readonly tamper: (made: Repeated) => Tamper
  readonly code: FindingCode
}

const changed =
  <K extends Kind>(wanted: K, id: string | undefined, change: (record: RecordOf<K>) => RecordOf<K> | null): Tamper =>
  (kind, record) =>
    (kind as Kind) === wanted && "id" in record && record.id === id
      ? (change(record as unknown as RecordOf<K>) as never)
      : record

const code = "evidence_reuse_mismatch"
const earlier = (what: string, change: (row: Evidence) => Evidence | null): ReuseCrime => ({
  what: `the row that was repeated ${what}`,
  generation: 1,
  code,
  tamper: ({ byTree }) => changed("evidence", byTree["test"]?.reuses, change)
})

/** All of them. */
export const reuseCrimes: ReadonlyArray<ReuseCrime> = [
  earlier("is gone", () => null),
  earlier("is of another check", (row) => ({ ...row, checkId: "lint" })),
  earlier("asked for something else", (row) => ({ ...row, checkDigest: "0".repeat(64) })),
  earlier("was run by something else", (row) => ({ ...row, runnerDigest: "0".repeat(64) })),
  earlier("is too old", (row) => ({ ...row, finishedAt: "2020-01-01T00:00:00.000Z" })),
  earlier("is of the future", (row) => ({ ...row, finishedAt: "2099-01-01T00:00:00.000Z" })),
  earlier("repeats another itself", (row) => ({ ...row, reuses: row.id })),
  earlier("failed", (row) => ({ ...row, result: "fail", status: "checked_unsupported" })),
  earlier("is the retry of a failure", (row) => ({ ...row, retryOf: row.id })),
  earlier("was waived", (row) => ({ ...row, waived: { reason: "flaky", until: "2099-01-01T00:00:00.000Z" } })),
  earlier("ran in an open sandbox", (row) => ({ ...row, runner: { ...row.runner, guarantees: [] } })),
  earlier("has another output", (row) => ({ ...row, outputDigest: "0".repeat(64) })),
  earlier("has another place of its output", (row) => ({ ...row, outputKey: "evidence/other" })),
  earlier("is of another Project", (row) => ({ ...row, projectId: "proj_00000000-0000-4000-8000-00000000dead" })),
  {
    what: "the row that was repeated is of another tree and other inputs",
    generation: 1,
    code,
    tamper: ({ byTree }) =>
      changed("evidence", byTree["test"]?.reuses, (row) => ({
        ...row,
        tree: "0".repeat(40),
        inputsDigest: "0".repeat(64)
      }))
  },
  {
    what: "the row that was repeated is of other inputs",
    generation: 2,
    code,
    tamper: ({ byInputs }) =>
      changed("evidence", byInputs["test"]?.reuses, (row) => ({ ...row, inputsDigest: "0".repeat(64) }))
  },
  {
    what: "a build repeats what is no build",
    generation: 1,
    code,
    tamper: ({ byTree }) => changed("evidence", byTree["build"]?.reuses, ({ bundleDigest: _, ...row }) => row)
  },
  {
    what: "a plan lets no evidence of before count",
    generation: 2,
    code,
    tamper: ({ three }) =>
      changed("candidate", three, (row) => {
        const { reuse: _, ...plan } = row.plan!
        return { ...row, plan }
      })
  },
  {
    what: "a plan counts trees alone",
    generation: 2,
    code,
    tamper: ({ three }) => changed("candidate", three, (row) => ({ ...row, plan: { ...row.plan!, reuse: "tree" } }))
  },
  {
    what: "a plan defines another check",
    generation: 2,
    code,
    tamper: ({ three }) =>
      changed("candidate", three, (row) => {
        const checks = row.plan!.checks.map((check) => (check.id === "test" ? { ...check, timeoutMs: 1 } : check))
        return { ...row, plan: { ...row.plan!, checks } }
      })
  }
]
