/** Candidates and their evidence. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { previewOf } from "@pawl/core/app/Previews"
import { type CandidateRequest, request } from "@pawl/core/candidate/Candidates"
import { shown, withHeldWork } from "@pawl/core/candidate/HeldWork"
import type { Candidate } from "@pawl/core/model/Candidate"
import { why } from "@pawl/core/why/Why"
import { taskInWords } from "../answer/TaskWords.ts"
import { nextInWords } from "../answer/WhyWords.ts"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { candidateFork } from "@pawl/core/primitives/Ids"
import { promote } from "@pawl/core/promotion/Promotions"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { taggedWhole } from "../answer/Validators.ts"
import { previewAnswer } from "./AppAnswers.ts"
import { candidateDiff, NotComposed } from "./CandidateDiff.ts"
import { outputOf, withOutput } from "./EvidenceOutput.ts"
import { listed } from "../answer/RecordPages.ts"
import { actor, onCandidate, onChange, onEvidence } from "../request/Reach.ts"

const whyInWords = (id: string) =>
  Effect.map(why(id), (found) => {
    const { id: changeId } = found.change
    const tasks = found.tasks.map((task) => ({ ...task, next: taskInWords({ ...task, changeId }) }))
    return { ...found, tasks, next: nextInWords(found.next) }
  })

const previewShown = Effect.fnUntraced(function* (candidate: Candidate) {
  const pointer = yield* previewOf(candidate)
  if (pointer === null) return yield* new Unknown({ kind: "preview", id: candidate.id })
  return { preview: yield* previewAnswer(pointer, (yield* shown(candidate)).on) }
})

/** While a Candidate is in one of these, evidence of it is still to come. */
const underWay: ReadonlySet<Candidate["status"]> = new Set(["composing", "verifying"])

/** Handlers of `candidates`, with what is decided, known and to be done about each. */
export const CandidatesHttp = HttpApiBuilder.group(PawlApi, "candidates", (handlers) =>
  handlers
    .handle("create", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const change = yield* onChange(params.id)
          const asked: CandidateRequest = { ...payload, changeId: change.id }
          return { candidate: yield* shown((yield* request(yield* actor, asked)).candidate) }
        })
      )
    )
    .handle("list", ({ params, query: { status, ...page } }) =>
      answering(
        Effect.gen(function* () {
          const change = yield* onChange(params.id)
          const found = yield* listed("candidate", {
            projectId: change.projectId,
            where: { changeId: change.id, ...(status === undefined ? {} : { status }) },
            ...page
          })
          // A page that cannot change is written once: it stays the one that it is.
          if (found.items.every(({ ahead }) => ahead === null)) return found
          return { ...found, items: yield* withHeldWork(found.items) }
        })
      )
    )
    .handle("get", ({ params }) =>
      answering(Effect.map(Effect.flatMap(onCandidate(params.id), shown), (candidate) => ({ candidate })))
    )
    .handle("evidence", ({ params, query }) =>
      answering(
        Effect.gen(function* () {
          const candidate = yield* onCandidate(params.id)
          const { output, ...page } = query
          const found = yield* listed("evidence", {
            projectId: candidate.projectId,
            where: { subject: candidate.id },
            ...page
          })
          const told = output === "true" ? { ...found, items: yield* Effect.forEach(found.items, withOutput) } : found
          return underWay.has(candidate.status) ? told : yield* taggedWhole(told)
        })
      )
    )
    .handle("output", ({ params }) => answering(Effect.flatMap(onEvidence(params.id), outputOf)))
    .handle("diff", ({ params, query }) =>
      answering(
        Effect.gen(function* () {
          const candidate = yield* onCandidate(params.id)
          const { id, projectId, baseCommit, baseTree, commit, status, tree } = candidate
          if (commit === null || tree === null) return yield* new NotComposed({ candidateId: id, status })
          const asked = { kind: "candidate", id }
          const compared = { project: projectId, fork: candidateFork(id), from: baseCommit, to: commit, asked }
          const within = query.path
          return yield* candidateDiff({ ...compared, within }, { base: baseTree, tree })
        })
      )
    )
    .handle("why", ({ params }) => answering(Effect.flatMap(onCandidate(params.id), ({ id }) => whyInWords(id))))
    .handle("preview", ({ params }) => answering(Effect.flatMap(onCandidate(params.id), previewShown)))
    .handle("promote", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const candidate = yield* onCandidate(params.id)
          return yield* promote(yield* actor, candidate.id)
        })
      )
    )
)
