/** What is tried with evidence that repeats another's. */
import { canonicalJson, utf8 } from "@pawl/core/primitives/Digest"
import type { Pack } from "./Packs.ts"
import { candidateOf, odd, time } from "./SceneParts.ts"
import type { Scene } from "./Scenes.ts"
import { restate, type Tampering } from "./Tampering.ts"
import { about, changeRecord, evidenceOf, type Json, promotionOf, rewrite, shaOf } from "./Thieves.ts"

const code = "evidence_reuse_mismatch"
const [build, test] = [0, 1]

/** Changes the row that a generation's check repeats, and states it anew. */
const before =
  (generation: number, check: number, change: (row: Json) => void) =>
  (pack: Pack, scene: Scene): void => {
    const name = `evidence ${promotionOf(pack, generation).text(`predicate.checks.${check}.reuses.id`)}`
    const record = changeRecord(pack, name, change)
    rewrite(scene, pack, (all) => about(all, generation).set(`predicate.checks.${check}.reuses.record`, record))
  }

/** Changes the row that repeats, and states it anew. */
const repeating =
  (generation: number, check: number, change: (row: Json) => void) =>
  (pack: Pack, scene: Scene): void => {
    const record = changeRecord(pack, evidenceOf(pack, generation, check), change)
    rewrite(scene, pack, (all) => about(all, generation).set(`predicate.checks.${check}.record`, record))
  }

/** Changes the plan of a generation, and states it anew. */
const replanned =
  (generation: number, change: (plan: Json) => void) =>
  (pack: Pack, scene: Scene): void => {
    const record = changeRecord(pack, `plan ${candidateOf(generation)}`, change)
    rewrite(scene, pack, (all) => about(all, generation).set("predicate.plan", record))
  }

/** Another bundle as what the earlier build made, in every record that names it. */
const otherBundle = (pack: Pack, scene: Scene): void => {
  const name = `predicate.checks.${build}`
  const promotion = promotionOf(pack, odd.repeatedTree)
  const kept = Buffer.from(pack.objects.get(promotion.text(`${name}.output.sha256`))!).toString()
  const text = canonicalJson({ ...JSON.parse(kept), mainModule: "evil.js" })
  pack.objects.set(shaOf(text).sha256, utf8(text))
  const digest = shaOf(text).sha256
  const earlier = changeRecord(pack, `evidence ${promotion.text(`${name}.reuses.id`)}`, (row) => {
    row.set("outputDigest", digest)
    row.set("bundleDigest", digest)
  })
  const own = changeRecord(pack, evidenceOf(pack, odd.repeatedTree, build), (row) => row.set("outputDigest", digest))
  rewrite(scene, pack, (all) => {
    const statement = about(all, odd.repeatedTree)
    statement.set(`${name}.reuses.record`, earlier)
    statement.set(`${name}.record`, own)
    statement.set(`${name}.output`, { sha256: digest })
  })
}

const tree = odd.repeatedTree
const crimes: ReadonlyArray<readonly [name: string, change: NonNullable<Tampering["change"]>]> = [
  ["of another check", before(tree, test, (row) => row.set("checkId", "lint"))],
  ["of a check that asked for something else", before(tree, test, (row) => row.set("checkDigest", "0".repeat(64)))],
  ["that something else ran", before(tree, test, (row) => row.set("runnerDigest", "0".repeat(64)))],
  ["of another tree", before(tree, test, (row) => row.set("tree", "0".repeat(40)))],
  ["of other declared inputs", before(odd.repeatedInputs, test, (row) => row.set("inputsDigest", "0".repeat(64)))],
  [
    "of the same inputs, by a plan that counts trees alone",
    replanned(odd.repeatedInputs, (plan) => plan.set("reuse", "tree"))
  ],
  ["by a plan that lets none count", replanned(tree, (plan) => plan.drop("reuse"))],
  ["that is too old", before(tree, test, (row) => row.set("finishedAt", time(tree * 10 - 1_441)))],
  ["of the future", before(tree, test, (row) => row.set("finishedAt", time(tree * 10 + 1)))],
  ["that repeats another itself", before(tree, test, (row) => row.set("reuses", "evd_0"))],
  ["that is a retry", before(tree, test, (row) => row.set("retryOf", "evd_0"))],
  ["that failed", before(tree, test, (row) => row.set("result", "fail"))],
  ["that was waived", before(tree, test, (row) => row.set("waived", { reason: "flaky", until: time(99_999) }))],
  ["of a sandbox that was open", before(tree, test, (row) => row.set("runner.guarantees", ["network-denied"]))],
  ["with another output", before(tree, test, (row) => row.set("outputDigest", "0".repeat(64)))],
  ["of a build, for a test", before(tree, test, (row) => row.set("bundleDigest", "0".repeat(64)))],
  ["of a build of another bundle", otherBundle],
  ["as none", restate(tree, (statement) => statement.drop(`predicate.checks.${test}.reuses`))],
  ["as another one", repeating(tree, test, (row) => row.set("reuses", "evd_0"))],
  ["without digests", repeating(tree, test, (row) => row.drop("checkDigest"))]
]

/** All of them, numbered from here on. */
export const reuseThefts = (first: number): ReadonlyArray<Tampering> => [
  ...crimes.map(
    ([name, change], index) => ({ number: first + index, name: `evidence repeated ${name}`, code, change }) as const
  ),
  {
    number: first + crimes.length,
    name: "repeated evidence of another Candidate",
    code: "evidence_of_other",
    change: repeating(tree, test, (row) => row.set("subject.candidateId", candidateOf(1)))
  },
  {
    number: first + crimes.length + 1,
    name: "the row that was repeated, gone",
    code: "record_missing",
    change: (pack) =>
      void pack.records.delete(`evidence ${promotionOf(pack, tree).text(`predicate.checks.${test}.reuses.id`)}`)
  }
]
