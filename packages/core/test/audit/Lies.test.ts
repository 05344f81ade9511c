import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { beforeEach, describe, expect, it } from "vitest"
import * as Adoption from "@pawl/core/audit/Adoption"
import * as Audits from "@pawl/core/audit/Audits"
import * as Apps from "@pawl/core/app/Apps"
import { remove } from "@pawl/core/app/Removal"
import { demand } from "@pawl/core/ledger/Decision"
import type { Particulars } from "@pawl/core/model/Particulars"
import type { StatementKind } from "@pawl/core/model/Statement"

import { beginEpochs } from "@pawl/core/provenance/Epochs"
import { SignedHeads } from "@pawl/core/provenance/SignedHeads"
import { alter, history, tampered } from "./AuditCrimes.ts"
import { type Lie, lied, type Said } from "./Lies.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { promoted } from "../kit/ReleaseScenes.ts"
import { beforeStatements } from "../kit/BeforeStatements.ts"

const strange = "ab".repeat(32)

/** The whole history, a release that failed and was taken back, one that a person had fail, and an app that was removed and deployed again. */
const eventful = Effect.gen(function* () {
  const made = yield* history
  const project = (yield* demand("project", made.projectId)).record
  answers.set("/", page(500))
  yield* promoted(project, "bad")
  yield* settle
  answers.set("/", page(200))
  yield* remove(person, project.id)
  yield* settle
  yield* Apps.deploy(project.id)
  yield* settle
  return made
})

const facts = (change: Record<string, unknown>) => (said: Said) => void Object.assign(said.predicate, change)
const bundle = (sha256: string) => (said: Said) => {
  for (const each of said.subject) each.digest = { sha256 }
}
const other = (sha256: string) => ({ sha256 })
const lie = (
  what: string,
  kind: StatementKind,
  generation: number,
  change: Lie["change"],
  particulars?: (kept: Particulars) => object
): Lie => ({ what, kind, generation, change, ...(particulars === undefined ? {} : { particulars }) })

const lies: ReadonlyArray<Lie> = [
  lie("the bundle of a release", "release", 1, bundle(strange)),
  lie("where a bundle came from", "release", 1, facts({ source: "build" })),
  lie("the incarnation of a release", "release", 4, facts({ incarnation: 1 })),
  lie("the host of a release", "release", 1, facts({ label: "other" })),
  lie("the channel of a release", "release", 1, facts({ channel: "preview:v0000001" })),
  lie("that a bundle was made of another's", "release", 2, facts({ derivedFrom: { generation: 1, sha256: strange } })),
  lie("that a bundle was not made of another's", "release", 3, ({ predicate }) => delete predicate["derivedFrom"]),
  lie("of which bundle one was made", "release", 3, facts({ derivedFrom: { generation: 1, sha256: strange } })),
  lie("what a release may go back to", "release", 2, facts({ mayRestore: other(strange) })),
  lie("that there is nothing to go back to", "release", 2, facts({ mayRestore: null })),
  lie("how a release ended", "outcome", 2, facts({ outcome: "smoke_failed" })),
  lie("what the probes saw", "outcome", 2, facts({ probes: other(strange) })),
  lie("that nothing was probed", "outcome", 2, facts({ probes: null })),
  lie("which release ended", "outcome", 2, facts({ release: null })),
  lie("that a failure was injected", "outcome", 2, facts({ injected: true }))
]

/** The particulars lie too: what is left are other records. */
const doubleLies: ReadonlyArray<Lie> = [
  lie("a bundle that was not verified", "release", 1, bundle(strange), () => ({ bundleDigest: strange })),
  lie(
    "a bundle to be made of that its generation never had",
    "release",
    3,
    facts({ derivedFrom: { generation: 1, sha256: strange } }),
    () => ({ derivedFrom: { generation: 1, digest: strange } })
  ),
  lie(
    "a bundle to be made of that is of another tree",
    "release",
    3,
    facts({ derivedFrom: { generation: 2, sha256: strange } }),
    () => ({ derivedFrom: { generation: 2, digest: strange } })
  ),
  lie("an incarnation that was before", "release", 4, facts({ incarnation: 0 }), () => ({ incarnation: 0 })),
  lie("an incarnation that never was", "release", 4, facts({ incarnation: 9 }), () => ({ incarnation: 9 })),
  lie("a bundle to go back to that was never released", "release", 2, facts({ mayRestore: other(strange) }), () => ({
    mayRestore: strange
  })),
  lie("what probes saw that the release did not", "outcome", 2, facts({ probes: null }), () => ({ probes: null }))
]

const restored = facts({ restored: { generation: 3, sha256: strange } })
const restoredLies: ReadonlyArray<Lie> = [
  lie("what is served again", "outcome", 4, restored),
  lie("that nothing is served again", "outcome", 4, facts({ restored: null })),
  lie("that the pointer did not go back", "outcome", 4, ({ predicate }) => delete predicate["restored"])
]

/** It is derived anew while both bundles are kept: the app was not removed. */
const notDerived = lie("of what it was made", "release", 3, bundle(strange), () => ({ bundleDigest: strange }))

/** What is served again is what the release named. */
const restoredDoubleLie = lie("what is served again", "outcome", 4, restored, () => ({
  restored: { generation: 3, bundleDigest: strange }
}))

const restoredEpochLies: ReadonlyArray<Lie> = [
  lie("what was lost", "restored", 3, facts({ lost: null })),
  lie("what was signed before", "restored", 3, ({ predicate }) => {
    predicate["old"] = { ...Object(predicate["old"]), size: 12 }
  })
]

const adoptedLies: ReadonlyArray<Lie> = [
  lie("how many records were adopted", "adopted", 3, facts({ records: { count: 1, sha256: strange } })),
  lie("that an audit found nothing", "adopted", 3, facts({ clean: false })),
  lie("what was the newest generation", "adopted", 3, ({ subject }) => {
    for (const each of subject) each.digest["gitTree"] = strange.slice(24)
  })
]

const codesOf = (report: Effect.Success<ReturnType<typeof Audits.examine>>) =>
  report.findings.map(({ code, generation }) => `S${generation} ${code}`)

/** What an audit finds once the lie is told. Dies where it would prove nothing: before it something is found, or it is not told. */
const examined = Effect.fnUntraced(function* (projectId: string, told: Lie) {
  const before = codesOf(yield* Audits.examine(projectId))
  const { found, tamper } = yield* lied(projectId, told)
  if (before.length > 0 || !found) return yield* Effect.die(new Error(`${before.join()}, found: ${found}`))
  return codesOf(yield* Audits.examine(projectId).pipe(tampered(tamper)))
})

describe("A statement that lies, in a chain that was linked anew", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it.each([...lies, ...restoredLies])("is named by an audit when it lies about $what", (told) =>
    run(
      Effect.gen(function* () {
        const { projectId } = yield* eventful
        const codes = yield* examined(projectId, told)
        expect(new Set(codes)).toEqual(new Set([`S${told.generation} statement_mismatch`]))
      })
    )
  )

  it.each([...doubleLies, restoredDoubleLie])("is named by other records when its particulars lie too: $what", (told) =>
    run(
      Effect.gen(function* () {
        const { projectId } = yield* eventful
        expect(yield* examined(projectId, told)).toContain(`S${told.generation} statement_mismatch`)
      })
    )
  )

  it.each(adoptedLies)("is named by an audit of what was adopted when it lies about $what", (told) =>
    run(
      Effect.gen(function* () {
        const { projectId } = yield* beforeStatements(history)
        yield* Adoption.adopt(projectId)
        yield* settle
        expect(new Set(yield* examined(projectId, told))).toEqual(new Set(["S3 statement_mismatch"]))
      })
    )
  )

  it("is named by an audit when what its release saw is changed in the release's own record", () =>
    run(
      Effect.gen(function* () {
        const made = yield* eventful
        const tamper = alter(
          "release",
          ({ projectId }) => `rel_${projectId}_2`,
          (row) => ({ ...row, probes: row.probes.map((probe) => ({ ...probe, detail: "never asked" })) })
        )(made)
        expect(codesOf(yield* Audits.examine(made.projectId).pipe(tampered(tamper)))).toEqual(["S2 statement_mismatch"])
      })
    ))

  it("is named when its bundle does not follow from the one that it is said to be made of, particulars or not", () =>
    run(
      Effect.gen(function* () {
        const { projectId } = yield* history
        expect(yield* examined(projectId, notDerived)).toContain("S3 statement_mismatch")
      })
    ))

  it.each(restoredEpochLies)("is named by an audit of a database that was put back when it lies about $what", (told) =>
    run(
      Effect.gen(function* () {
        const { projectId } = yield* history
        const heads = yield* SignedHeads
        yield* heads.set(`localhost/log/${projectId}`, { size: 40, root: Base64.encode(new Uint8Array(32)) })
        expect(yield* beginEpochs).toMatchObject([{ chain: projectId, epoch: 2 }])
        yield* settle
        expect(new Set(yield* examined(projectId, told))).toEqual(new Set(["S3 statement_mismatch"]))
      })
    )
  )
})
