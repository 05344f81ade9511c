/** What a run begins with: its source, its fence, and what its model is told before it is asked for the first time. */
import { Effect, Schema } from "effect"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { find } from "../ledger/Decision.ts"
import { pointerKey } from "../model/Entities.ts"
import { Limits } from "../primitives/Limits.ts"
import { readBytes, readFiles } from "../project/Source.ts"
import { Repositories } from "../project/Repositories.ts"
import type { AgentJob } from "../task/Agent.ts"
import { checksHere, checkLine } from "./TreeChecks.ts"
import { Models } from "../agent/Models.ts"
import { type Overlay, overlayOn } from "../agent/Overlay.ts"
import { overlapWords } from "../claim/Overlaps.ts"
import { openingWords } from "./Prompt.ts"
import { newFence } from "../agent/Untrusted.ts"
import type { Workplace } from "./Workplace.ts"
import { textOf } from "../primitives/Utf8.ts"

/** The file of a Project's own rules for whoever works on its source. */
const rulesFile = "AGENTS.md"

/** The rules as they are canonical: what a Task before wrote there binds nobody. */
const rulesOf = Effect.fnUntraced(function* ({ run }: AgentJob) {
  const canonical = { project: run.projectId }
  const { tree } = yield* (yield* Repositories).resolve(canonical, run.baseCommit)
  const bytes = yield* readBytes(canonical, tree, rulesFile)
  return bytes === null ? null : textOf(bytes)
})

const findingsOf = ({ findings }: AgentJob) =>
  Effect.forEach(findings, ({ objectKey, taskKey }) =>
    Effect.flatMap(ObjectStore, (objects) => objects.get(objectKey)).pipe(
      Effect.map((bytes) => ({ taskKey, text: textOf(bytes) })),
      // The Task completed without a word, or what it found is not kept any more.
      Effect.catchTags({ ObjectMissing: () => Effect.succeed(null), InvalidKey: Effect.die })
    )
  ).pipe(Effect.map((all) => all.flatMap((finding) => (finding === null ? [] : [finding]))))

/** Prepares a run, and says what its model is told first. Repeating it gives the same. */
export const prepare = Effect.fnUntraced(function* (job: AgentJob) {
  const source = yield* readFiles(job.source.repository, job.source.tree)
  const pointer = yield* find("pointer", pointerKey(job.task.projectId, "production"))
  const untouched: Overlay = overlayOn(new Map([...source].map(([path, { content }]) => [path, content])))
  const place: Workplace = {
    job,
    untouched,
    fence: yield* job.remember("fence", Schema.String, newFence),
    source,
    hasApp: pointer?.record.status !== "removed",
    // It counts as running, so that it waits for a sandbox as long as that takes: an agent keeps no other work waiting.
    running: { count: 1 },
    failedBefore: new Map()
  }
  const checks = yield* checksHere(place, untouched)
  const opening = openingWords({
    fence: place.fence,
    planned: job.planned,
    evidence: job.evidence ?? null,
    goal: job.change.goal.slice(0, Limits.goalLength),
    rules: yield* rulesOf(job),
    checks: checks._tag === "Checks" ? checks.checks.map(checkLine) : [checks.reason],
    findings: yield* findingsOf(job),
    before: job.task.reason,
    others: job.overlaps.map(overlapWords),
    overlay: untouched,
    // Three characters make a token: the contents may take a third of the context.
    mostChars: job.run.tier === null ? Infinity : ((yield* Models).of(job.run.tier)?.contextTokens ?? Infinity)
  })
  return { place, ...opening }
})
