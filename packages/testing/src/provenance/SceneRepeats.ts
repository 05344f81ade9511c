/** Evidence that repeats another Candidate's: of the same tree, or of the same declared inputs. */
import type { Evidence } from "@pawl/core/model/Evidence"
import { canonicalJson } from "@pawl/core/primitives/Digest"
import type { CheckedFact, Sha } from "@pawl/core/provenance/Predicates"
import { recordText } from "@pawl/core/provenance/RecordDigest"
import { candidateOf, digits, keep, odd, project, store, time, type Writer } from "./SceneParts.ts"
import type { SceneCommit } from "./SceneSources.ts"

const kinds = ["build", "test"]
const [asked, ranBy, saw] = ["a1".repeat(32), "b2".repeat(32), "c3".repeat(32)]
const otherCommit = "d".repeat(40)
const otherTree = "e".repeat(40)

/** What the plan of a generation lets count; undefined for nothing. */
export const reuseIn = (n: number): "tree" | "inputs" | undefined =>
  n === odd.repeatedTree ? "tree" : n === odd.repeatedInputs ? "inputs" : undefined

/** The bundle of a generation as it was built for another commit, an hour before. */
const builtBefore = (writer: Writer, n: number, bundle: Sha): Sha => {
  const text = Buffer.from(writer.objects.get(bundle.sha256)!).toString()
  const made: Record<string, unknown> = JSON.parse(text)
  return store(writer, canonicalJson({ ...made, commit: otherCommit, builtAt: time(n * 10 - 60) }))
}

/** A check of a generation whose evidence repeats another's. Only a test has declared inputs. */
export const repeatedFor = (
  writer: Writer,
  n: number,
  check: string,
  { bundle, source }: { readonly bundle: Sha; readonly source: SceneCommit }
): CheckedFact => {
  const isBuild = check === "build"
  const output = isBuild ? builtBefore(writer, n, bundle) : store(writer, `${check} of S${n}, before\npass\n`)
  const number = n * 10 + kinds.indexOf(check)
  const byInputs = reuseIn(n) === "inputs" && !isBuild
  const row: Evidence = {
    id: `evd_${digits(number + 5_000, 26)}`,
    projectId: project,
    subject: { candidateId: candidateOf(8_000 + n) },
    checkId: check,
    status: "checked_supported",
    result: "pass",
    commit: otherCommit,
    tree: byInputs ? otherTree : source.tree,
    outputKey: `evidence/${output.sha256}`,
    outputDigest: output.sha256,
    startedAt: time(n * 10 - 60),
    finishedAt: time(n * 10 - 59),
    runner: isBuild
      ? { isolation: "builder", version: "esbuild 0.25.0", guarantees: ["memory-limited", "time-limited"] }
      : { isolation: "bubblewrap", version: "0.8.0", guarantees: ["clean-environment", "network-denied"] },
    summary: "pass",
    ...(isBuild ? { bundleDigest: output.sha256 } : {}),
    checkDigest: asked,
    runnerDigest: ranBy,
    ...(byInputs ? { inputsDigest: saw } : {}),
    attempt: 1
  }
  const own: Evidence = {
    ...row,
    id: `evd_${digits(number, 26)}`,
    subject: { candidateId: candidateOf(n) },
    commit: source.commit,
    tree: source.tree,
    startedAt: time(n * 10),
    finishedAt: time(n * 10),
    ...(isBuild ? { bundleDigest: bundle.sha256 } : {}),
    reuses: row.id
  }
  return {
    check,
    id: own.id,
    required: true,
    result: own.result,
    runner: own.runner.isolation,
    attempt: 1,
    record: keep(writer, "evidence", own.id, recordText("evidence", own)),
    output,
    reuses: { id: row.id, record: keep(writer, "evidence", row.id, recordText("evidence", row)) }
  }
}
