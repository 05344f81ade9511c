import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import * as Audits from "@pawl/core/audit/Audits"
import { find } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import { aboutOf, statementKey } from "@pawl/core/model/Statement"
import { Limits } from "@pawl/core/primitives/Limits"
import { ProvenanceMode } from "@pawl/core/provenance/ProvenanceMode"
import { history } from "../audit/AuditCrimes.ts"
import { answers, page, run, settle } from "../kit/MemoryPawl.ts"
import { changeOf, claimRelease, deployed, pointerOf, promoted, queued, releaseOf, work } from "../kit/ReleaseScenes.ts"
import { play } from "../kit/UpkeepScenes.ts"

const said = Effect.fnUntraced(function* (
  projectId: string,
  kind: "promotion" | "release" | "outcome",
  generation: number
) {
  const about = aboutOf(projectId, kind, generation)
  const page = yield* (yield* Records).list("statement", { where: { about }, limit: "all" })
  return page.items.map(({ record }) => ({ ...record, predicate: JSON.parse(record.payload).predicate }))
})

describe("The statement of a release", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("is waited for where that is enforced, written once, and then served with its envelope", () =>
    play(
      Effect.gen(function* () {
        const { changeId, generation, project, releaseId } = yield* queued
        const enforced = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          Effect.provideService(effect, ProvenanceMode, "enforce")
        yield* enforced(work(yield* claimRelease))
        expect([(yield* pointerOf(project.id)).generation, (yield* changeOf(changeId)).reason]).toEqual([0, null])
        yield* TestClock.adjust(Limits.signatureWaitMs)
        yield* enforced(work(yield* claimRelease))
        expect((yield* changeOf(changeId)).reason).toBe("unsigned: waits for its signature")
        expect((yield* pointerOf(project.id)).generation).toBe(0)
        yield* enforced(settle)
        yield* TestClock.adjust(Limits.signerRetryMs)
        yield* enforced(settle)
        expect([(yield* releaseOf(releaseId)).status, (yield* changeOf(changeId)).reason]).toEqual(["deployed", null])
        const [statement, ...more] = yield* said(project.id, "release", generation)
        expect(more).toEqual([])
        const { bundleDigest, provenance } = yield* pointerOf(project.id)
        expect(provenance).toMatchObject({ entry: statement!.entry, epoch: 1, envelope: expect.any(String) })
        expect(JSON.parse(statement!.payload).subject).toEqual([
          { name: "bundle.json", digest: { sha256: bundleDigest } }
        ])
      })
    ))

  it("names what may be served again, and how it ended says what was", () =>
    play(
      Effect.gen(function* () {
        const { generation, project } = yield* deployed
        const good = yield* pointerOf(project.id)
        answers.set("/", page(500))
        const bad = yield* promoted(project, "bad")
        yield* settle
        yield* TestClock.adjust("1 minute")
        yield* settle
        expect((yield* releaseOf(bad.releaseId)).status).toBe("smoke_failed")
        const [release] = yield* said(project.id, "release", bad.generation)
        const [outcome] = yield* said(project.id, "outcome", bad.generation)
        expect(release!.predicate.mayRestore).toEqual({ sha256: good.bundleDigest })
        expect(outcome!.predicate).toMatchObject({
          outcome: "smoke_failed",
          release: { sha256: release!.digest },
          restored: { generation, sha256: good.bundleDigest }
        })
        const { provenance } = yield* pointerOf(project.id)
        expect(provenance).toEqual(good.provenance)
        const stated = yield* find("statement", statementKey(project.id, provenance?.entry ?? -1))
        expect(stated?.record).toMatchObject({ kind: "release", generation })
      })
    ))

  it("names the generation whose bundle it was made of where nothing was built: a rollback to the same tree", () =>
    run(
      Effect.gen(function* () {
        const { projectId } = yield* history
        const [first] = yield* said(projectId, "release", 1)
        const [back] = yield* said(projectId, "release", 3)
        const [promotion] = yield* said(projectId, "promotion", 3)
        const bundleOf = ({ payload }: { readonly payload: string }): string =>
          JSON.parse(payload).subject[0].digest.sha256
        expect(first!.predicate).not.toHaveProperty("derivedFrom")
        expect(back!.predicate).toMatchObject({
          source: "same_tree",
          derivedFrom: { generation: 1, sha256: bundleOf(first!) }
        })
        expect(bundleOf(back!)).not.toBe(bundleOf(first!))
        expect(JSON.parse(promotion!.payload).subject.map(({ name }: { readonly name: string }) => name)).toEqual([
          `${projectId}/S3`
        ])
        expect(yield* pointerOf(projectId)).toMatchObject({ generation: 3, bundleDigest: bundleOf(back!) })
        expect((yield* Audits.examine(projectId)).findings).toEqual([])
      })
    ))
})
