/** Scenes that flow tests begin with: a Project, a Change, a Candidate, a canonical line that moves on. */
import { Effect } from "effect"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Changes from "@pawl/core/change/Changes"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { user } from "@pawl/core/model/Actor"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { makeUuid } from "@pawl/core/primitives/Ids"
import * as Projects from "@pawl/core/project/Projects"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { organizationId, person, settle } from "./MemoryPawl.ts"

export const files = {
  "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "node --test" }], probes: [{ path: "/" }] }),
  "src/index.js": "export default { fetch: () => new Response('one') }",
  "result.txt": "fine"
}

/** Every tier of risk that a diff can have. */
export const every = ["low", "medium", "high"] as const

export const newProject = (slug = "corner") =>
  Effect.flatMap(Projects.create(person, { organizationId, slug, files }), (project) => Effect.as(settle, project))

export const opened = (projectId: string, request: string) =>
  Effect.map(
    Changes.open(person, { projectId, clientRequestId: request, goal: "a goal", budgetUsd: 1 }),
    ({ change }) => change
  )

/** A Candidate of one edit, asked for and not worked on yet. */
export const askedFor = (projectId: string, request: string, edits: Record<string, string>) =>
  Effect.gen(function* () {
    const change = yield* opened(projectId, request)
    yield* ChangeSets.record(person, { changeId: change.id, message: "edit", files: edits })
    return (yield* Candidates.request(person, { changeId: change.id })).candidate
  })

/** A Candidate of one edit, after its verification and all that follows by itself. */
export const candidateOf = (projectId: string, request: string, edits: Record<string, string>) =>
  Effect.gen(function* () {
    const { id } = yield* askedFor(projectId, request, edits)
    yield* settle
    return (yield* demand("candidate", id)).record
  })

/** Another Change is verified and promoted: canonical is one generation further, and nothing that follows has run. */
export const advance = (projectId: string) =>
  Effect.gen(function* () {
    const request = yield* makeUuid
    const change = yield* opened(projectId, request)
    yield* ChangeSets.record(person, {
      changeId: change.id,
      message: "another",
      files: { [`other/${request}.txt`]: "other" }
    })
    const head = (yield* demand("head", projectId)).record
    for (;;) {
      const { candidate } = yield* Candidates.request(person, { changeId: change.id })
      yield* settle
      const promoted = yield* Promotions.promote(person, candidate.id)
      if (promoted.generation > head.generation) return promoted.generation
    }
  })

/** The id of the nth person beside the one who began. */
export const memberId = (n: number) => `usr_00000000-0000-4000-8000-${String(n).padStart(12, "0")}` as const

/** Another person, the nth, who may approve in a Project. */
export const joined = (projectId: string, n: number) =>
  Effect.gen(function* () {
    const userId = memberId(n)
    const membership = { projectId: projectId as `proj_${string}`, userId, role: "member" as const }
    yield* (yield* Ledger).commit({
      name: "Scenes.joined",
      projectId: null,
      writes: [Commit.insert("membership", membership)]
    })
    return user(userId)
  })

/** And the person leaves it again. */
export const leaves = (projectId: string, who: { readonly id: string }) =>
  Effect.gen(function* () {
    const id = `${projectId}/${who.id}`
    const { revision } = yield* demand("membership", id)
    yield* (yield* Ledger).commit({
      name: "Scenes.leaves",
      projectId: null,
      writes: [{ _tag: "Delete", kind: "membership", id, revision }]
    })
  })

/** The newest Candidate of a lineage. */
export const newestOf = (lineage: string) =>
  Effect.gen(function* () {
    const page = yield* (yield* Records).list("candidate", { where: { lineage }, limit: "all" })
    return page.items.at(-1)?.record ?? null
  })
