/** What promotions of a scene stand on: bundles, evidence, plans and approvals. */
import type { Evidence } from "@pawl/core/model/Evidence"
import type { Plan } from "@pawl/core/model/Plan"
import type { Policy } from "@pawl/core/model/Policy"
import { canonicalJson, sha256AtOnce } from "@pawl/core/primitives/Digest"
import type { CheckedFact, Made, PromotionFacts, Sha } from "@pawl/core/provenance/Predicates"
import { recordText } from "@pawl/core/provenance/RecordDigest"
import type { ScenePasskey } from "./SceneKeys.ts"
import { reuseIn } from "./SceneRepeats.ts"
import type { SceneCommit } from "./SceneSources.ts"
import {
  approverId,
  author,
  candidateOf,
  changeOf,
  digits,
  keep,
  odd,
  project,
  sha,
  store,
  time,
  type Writer
} from "./SceneParts.ts"

/** The bundle of a generation, with all that it names. */
export const bundleFor = (writer: Writer, n: number, { commit, files, tree }: SceneCommit): Sha => {
  const asset = (path: string) => {
    const content = files.get(`public/${path}`) ?? ""
    return { ...store(writer, content), size: Buffer.byteLength(content), contentType: "text/plain" }
  }
  const source = files.get("src/index.js") ?? ""
  const sbom = n === odd.sbom ? { sbom: { ...sbomFor(writer, commit), object: "sbom.json" } } : {}
  const large = { type: "data", ...store(writer, "a module that is not inline\n"), object: "modules/large.bin" }
  return store(
    writer,
    canonicalJson({
      version: 1,
      project,
      commit,
      tree,
      builtAt: time(n * 10),
      builder: { name: "esbuild", version: "0.25.0" },
      mainModule: "index.js",
      modules: { "index.js": { type: "esm", sha256: sha256AtOnce(source), content: source }, "large.bin": large },
      compatibilityDate: "2026-01-01",
      compatibilityFlags: [],
      assets: {
        notFoundHandling: "none",
        htmlHandling: "none",
        runWorkerFirst: false,
        manifest: { "a.txt": asset("a.txt"), "ä.txt": asset("ä.txt") }
      },
      ...sbom
    })
  )
}

/** A list of packages. */
export const sbomFor = (writer: Writer, commit: string): Sha =>
  store(
    writer,
    canonicalJson({ bomFormat: "CycloneDX", specVersion: "1.6", metadata: { component: { version: commit } } })
  )

const kinds = ["build", "test", "tree-equals"]

/** A check of a generation, with its evidence. */
export const evidenceFor = (
  writer: Writer,
  n: number,
  check: string,
  {
    bundle,
    source,
    waived
  }: { bundle: Sha | null; source: SceneCommit; waived: { reason: string; until: string } | null }
) => {
  const result = waived === null ? "pass" : "fail"
  const output = store(writer, `${check} of S${n}\n${result}\n`)
  const id = `evd_${digits(n * 10 + kinds.indexOf(check), 26)}` as const
  const row: Evidence = {
    id,
    projectId: project,
    subject: { candidateId: candidateOf(n) },
    checkId: check,
    status: waived === null ? "checked_supported" : "checked_unsupported",
    result,
    commit: source.commit,
    tree: source.tree,
    outputKey: `evidence/${id}`,
    outputDigest: output.sha256,
    startedAt: time(n * 10),
    finishedAt: time(n * 10 + 1),
    runner: { isolation: "bubblewrap", version: "0.8.0", guarantees: ["no network"] },
    summary: result,
    ...(check === "build" && bundle !== null ? { bundleDigest: bundle.sha256 } : {}),
    ...(waived === null ? {} : { waived }),
    attempt: 1
  }
  if (n === odd.retried && check === "test") return retriedFor(writer, row, output)
  return {
    check,
    id,
    required: true,
    result: row.result,
    runner: row.runner.isolation,
    attempt: 1,
    ...(waived === null ? {} : { waived: { until: waived.until } }),
    record: keep(writer, "evidence", id, recordText("evidence", row)),
    output
  }
}

/** A check that failed at first, and passed on the same tree: both rows. */
const retriedFor = (writer: Writer, passed: Evidence, output: Sha): CheckedFact => {
  const failed = store(writer, `${passed.checkId}, at first\nfail\n`)
  const failure: Evidence = {
    ...passed,
    id: `evd_${digits(9_000, 26)}`,
    status: "checked_unsupported",
    result: "fail",
    outputDigest: failed.sha256,
    summary: "fail"
  }
  const row: Evidence = { ...passed, attempt: 2, retryOf: failure.id }
  return {
    check: row.checkId,
    id: row.id,
    required: true,
    result: row.result,
    runner: row.runner.isolation,
    attempt: 2,
    record: keep(writer, "evidence", row.id, recordText("evidence", row)),
    output,
    retryOf: { id: failure.id, record: keep(writer, "evidence", failure.id, recordText("evidence", failure)) }
  }
}

/** Who made a generation: an agent for a person. Where there are many ChangeSets their list is a record. */
export const madeFor = (
  writer: Writer,
  n: number,
  { commit }: SceneCommit
): Pick<PromotionFacts, "made" | "madeOf"> => {
  const count = n === 0 ? 0 : n === odd.listed ? 3 : 1
  const made = Array.from({ length: count }, (_, index): Made => {
    const id = `agt_tsk_${changeOf(n)}_work${index === 0 ? "" : index}` as const
    return {
      changeSet: `cs_run_tsk_${changeOf(n)}_work_${index + 1}`,
      digest: { gitCommit: commit },
      author: { type: "agent", id, for: author, model: "some-model", tier: "standard" }
    }
  })
  if (n !== odd.listed) return { made }
  return { made: [], madeOf: { count, ...keep(writer, "made", candidateOf(n), canonicalJson(made)) } }
}

/** The plan of a generation. */
export const planFor = (writer: Writer, n: number, checks: ReadonlyArray<string>, policy: Policy): Sha => {
  const reuse = reuseIn(n)
  const plan: Plan = {
    policyVersion: policy.version,
    riskTier: riskOf(n),
    approvalRequired: isApproved(n),
    checks: checks.map((id) => ({
      id,
      kind: id === "build" ? "build" : id === "tree-equals" ? "tree-equals" : "command",
      title: id,
      required: true,
      timeoutMs: 60_000,
      ...(n === odd.waived && id === "test" ? { waived: { reason: "flaky runner", until: time(99_999) } } : {})
    })),
    ...(reuse === undefined ? {} : { reuse }),
    ...(n === odd.retried ? { flakeRetries: 1 as const } : {})
  }
  return keep(writer, "plan", candidateOf(n), canonicalJson(plan))
}

/** Whether people had to approve a generation. */
export const isApproved = (n: number): boolean => n > 0 && n % 5 === 0

/** The risk of a generation. What is carried over is of one whose approvals nobody must sign. */
export const riskOf = (n: number): "high" | "medium" => (isApproved(n) && n !== odd.carried ? "high" : "medium")

/** What a passkey signs to approve: written here anew, for the product reads it. */
export const approvalText = (approval: unknown): string => {
  const { approver, candidateId, changeId, decision, plan, source, tree } = Object(approval)
  const bound = { change: changeId, candidate: candidateId, tree, source, plan, decision, approver }
  return canonicalJson({ domain: "pawl-approval-v1", project, ...bound })
}

/** What an approver says beside a decision: it is part of the row, and no statement says more for it. */
const said = 'read it "line by line" \\ für gut befunden \u{1f44d}\u2028\ufeff\u00a0'

/** The approval of a generation. */
export const approvalFor = async (
  writer: Writer,
  n: number,
  of: { source: SceneCommit; plan: Sha; passkey: ScenePasskey }
) => {
  const isCarried = n === odd.carried
  // Given to a Candidate before, whose difference was the same.
  const tree = isCarried ? "c".repeat(40) : of.source.tree
  const id = `apr_${digits(n, 26)}`
  const bound = {
    id,
    projectId: project,
    candidateId: isCarried ? candidateOf(9_000 + n) : candidateOf(n),
    changeId: changeOf(n),
    tree,
    decision: "granted",
    approver: approverId,
    decidedAt: time(n * 10 + 2),
    source: of.source.dirHash,
    plan: of.plan.sha256
  }
  const record = keep(
    writer,
    "approval",
    id,
    canonicalJson({ ...bound, note: said, passkey: await of.passkey.get(approvalText(bound)) })
  )
  const carriedFrom = isCarried ? { carriedFrom: { tree, diff: sha(sha256AtOnce(`difference of ${n}`)) } } : {}
  return { id, approver: approverId, tree, record, ...carriedFrom }
}
