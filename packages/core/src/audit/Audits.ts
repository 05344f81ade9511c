/**
 * Audits: a second look at all that a Project's history says of itself. Every generation is read again with its
 * Candidate, Evidence, approval and Policy, and its tree is derived anew. An audit changes nothing but its own report.
 */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import { generationKey } from "../model/Entities.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { sha256 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import { Repositories, type RepositoryRef } from "../project/Repositories.ts"
import { readDefinitions } from "../project/Source.ts"
import type { Audit, Finding, FindingCode, Note, Rebuild } from "../model/Audit.ts"
import type { Project } from "../model/Project.ts"
import { rebuild } from "./Rebuilds.ts"
import { statementDifferences } from "./AuditedStatements.ts"
import { type GenerationRecords, readRecords, recordFindings } from "./AuditedRecords.ts"
import { differencesOf } from "./CarriedApprovals.ts"
import { derive, type Difference, addReachable } from "./Derivation.ts"
import type { Generation, Head } from "../model/Generation.ts"
import { sourceIndexKey } from "../project/SourceIndex.ts"
import { placeOf } from "../project/SourceSync.ts"

const actor = system("audit")

/** The last report of a Project; `Unknown` (audit) before the first. */
export const lastReport = (projectId: string) => Effect.map(demand("audit", projectId), (stored) => stored.record)

/**
 * Audits a Project, keeps the report and tells of it. Fails with `ProjectArchived`: its repository may be gone. `rebuilt`:
 * what was built again for this report; without it the report keeps what an earlier one had.
 */
export const run = (projectId: string, rebuilt?: Rebuild) =>
  Effect.gen(function* () {
    yield* demandActive(projectId)
    const examined = yield* examine(projectId)
    return yield* decideAndCommit(
      Effect.map(Effect.all([find("audit", projectId), demandActive(projectId)]), ([before, project]) => {
        const last = rebuilt ?? before?.record.rebuild
        const report: Audit = last === undefined ? examined : { ...examined, rebuild: last }
        return { answer: report, commit: committed(report, before, project) }
      })
    )
  }).pipe(Effect.withSpan("Audits.run", { attributes: { projectId } }))

const committed = (report: Audit, before: Commit.Stored<Audit> | null, project: Commit.Stored<Project>) => ({
  name: "Audits.run",
  projectId: report.projectId,
  // What was archived while it was examined may have been cleaned away already: its differences are none.
  expects: [unchangedProject(project)],
  writes: [before === null ? Commit.insert("audit", report) : Commit.update("audit", before, report)],
  events: [
    {
      type: report.findings.length === 0 ? ("audit.passed" as const) : ("audit.failed" as const),
      subject: report.projectId,
      data: {
        generations: report.generations,
        findings: [...new Set(report.findings.map((finding) => finding.code))]
      },
      actor
    }
  ]
})

/** The body of `project.audit`; `generation` is built again before. A Project that was archived meanwhile needs no audit. */
export const audited = (projectId: string, generation?: number) =>
  Effect.gen(function* () {
    yield* demandActive(projectId)
    yield* run(projectId, generation === undefined ? undefined : yield* rebuild(projectId, generation))
  }).pipe(Effect.catchTag("ProjectArchived", () => Effect.void))

/** Findings and notes within their bounds. */
const collector = () => {
  const [findings, notes] = [[] as Array<Finding>, [] as Array<Note>]
  let more = 0
  const add = (generation: number, differences: ReadonlyArray<Difference>) => {
    for (const { code, detail, isNote } of differences) {
      if (code === "evidence_output_expired" || code === "tree_not_derivable") {
        if (notes.length < Limits.auditFindings) notes.push({ generation, code, detail })
      } else if (isNote === true && code === "statement_unsigned") {
        if (notes.length < Limits.auditFindings) notes.push({ generation, code, detail })
      } else if (findings.length < Limits.auditFindings) findings.push({ generation, code, detail })
      else more++
    }
  }
  return { add, done: () => ({ findings, notes, moreFindings: more }) }
}

/** Looks at every generation, one after another, and writes nothing. What is kept meanwhile is one generation and the ids of commits. */
export const examine = Effect.fnUntraced(function* (projectId: string) {
  const project = (yield* demand("project", projectId)).record
  const auditedAt = yield* Time.now
  const head = (yield* find("head", projectId))?.record ?? null
  const found = collector()
  if (head === null) return { projectId: project.id, auditedAt, generations: 0, ...found.done() } satisfies Audit
  const reached = new Set<string>()
  let before: Generation | null = null
  for (let generation = 0; generation <= head.generation; generation++) {
    const step = yield* stepAt(projectId, generation)
    if (step === null) {
      found.add(generation, [{ code: "history_gap", detail: `there is no S${generation}` }])
      continue
    }
    if (step.generation !== generation || step.projectId !== projectId)
      found.add(generation, [{ code: "generation_mismatch", detail: `its row is of S${step.generation}` }])
    found.add(generation, yield* steadily(ofGeneration(step, before, head, reached)))
    yield* Effect.ignore(addReachable(placeOf(head, step), step.commit, reached))
    before = step
  }
  found.add(head.generation, yield* steadily(ofHead(projectId)))
  for (const [generation, differences] of yield* ofStatements(project)) found.add(generation, differences)
  return { projectId: project.id, auditedAt, generations: head.generation + 1, ...found.done() } satisfies Audit
})

const stepAt = (projectId: string, generation: number) =>
  Effect.map(find("generation", generationKey(projectId, generation)), (stored) => stored?.record ?? null)

/** Records are read one by one while others write: a difference counts when it is there at every look. */
const steadily = Effect.fnUntraced(function* <E, R>(look: Effect.Effect<ReadonlyArray<Difference>, E, R>) {
  let differences = yield* look
  for (let again = 1; again < Limits.auditLooks && differences.length > 0; again++) {
    const now = new Set((yield* look).map(({ code, detail }) => `${code} ${detail}`))
    differences = differences.filter(({ code, detail }) => now.has(`${code} ${detail}`))
  }
  return differences
})

const difference = (code: FindingCode, detail: string): Difference => ({ code, detail })

const ofGeneration = Effect.fnUntraced(function* (
  step: Generation,
  before: Generation | null,
  head: Head,
  reached: ReadonlySet<string>
) {
  const ref = placeOf(head, step)
  const found: Array<Difference> = [...(yield* ofCommit(ref, step))]
  if (ref.fork === undefined) found.push(...(yield* ofIndex(step)))
  if (step.generation === 0) {
    if (step.trigger !== "seed" || step.candidateId !== null || step.changeId !== null)
      found.push(difference("trigger_mismatch", `S0 is seeded, and its trigger is ${step.trigger}`))
    return found
  }
  // Where the generation before is missing, that is what is named.
  if (before === null || before.generation !== step.generation - 1) return found
  const read = yield* readRecords(step, before)
  const definitions = yield* readDefinitions(ref, before.tree).pipe(
    Effect.map((each) => (each._tag === "Defined" ? each.file.checks : null)),
    Effect.catchTag("ObjectNotFound", () => Effect.succeed(null))
  )
  found.push(...recordFindings(read, definitions))
  found.push(...(yield* ofOutputs(read)))
  found.push(...(yield* ofTree(ref, read, reached)))
  found.push(...(yield* differencesOf(ref, read)))
  return found
})

const missing = (gone: { readonly what: string; readonly id: string }) =>
  Effect.succeed([difference("commit_missing", `the repository has no ${gone.what} ${gone.id}`)])

/** That the commit is there, and has the tree that the row says. */
const ofCommit = (ref: RepositoryRef, step: Generation) =>
  Effect.flatMap(Repositories, (repositories) => repositories.resolve(ref, step.commit)).pipe(
    Effect.map(({ tree }) =>
      tree === step.tree
        ? []
        : [difference("commit_tree_mismatch", `${step.commit} has tree ${tree}, the row says ${step.tree}`)]
    ),
    Effect.catchTag("ObjectNotFound", missing)
  )

const ofIndex = (step: Generation) =>
  Effect.flatMap(ObjectStore, (objects) => objects.head(sourceIndexKey(step.projectId, step.tree))).pipe(
    Effect.as([]),
    Effect.catchTags({
      ObjectMissing: ({ key }) => Effect.succeed([difference("source_index_missing", `there is no object ${key}`)]),
      InvalidKey: ({ key }) => Effect.succeed([difference("source_index_missing", `${key} is no key`)])
    })
  )

/** The outputs of the evidence that the promotion stood on, against their digests. */
const ofOutputs = ({ evidence, step }: GenerationRecords) =>
  Effect.map(
    Effect.forEach(
      evidence.filter((row) => step.evidenceIds.includes(row.id)),
      ({ id, outputDigest, outputKey }) =>
        outputKey === null
          ? Effect.succeed([])
          : Effect.flatMap(ObjectStore, (objects) => objects.get(outputKey)).pipe(
              Effect.flatMap(sha256),
              Effect.map((digest): ReadonlyArray<Difference> =>
                digest === outputDigest
                  ? []
                  : [
                      difference(
                        "evidence_output_mismatch",
                        `the output of ${id} has digest ${digest}, not ${outputDigest}`
                      )
                    ]
              ),
              Effect.catchTags({
                ObjectMissing: () =>
                  Effect.succeed([
                    { code: "evidence_output_expired" as const, detail: `the output of ${id} is not kept` }
                  ]),
                InvalidKey: () =>
                  Effect.succeed([difference("evidence_output_mismatch", `the output of ${id} has no valid key`)])
              })
            )
    ),
    (found) => found.flat()
  )

/** The commit derived anew from its base: ChangeSets merged in, or a rollback's single commit. */
const ofTree = Effect.fnUntraced(
  function* (ref: RepositoryRef, read: GenerationRecords, reached: ReadonlySet<string>) {
    const { before, candidate, change, changeSets, step } = read
    const repositories = yield* Repositories
    if (change?.kind === "rollback") {
      const parents = yield* repositories.parents(ref, step.commit)
      if (parents.length !== 1 || parents[0] !== before.commit)
        return [
          difference("composition_mismatch", `a rollback stands on ${parents.join(", ")}, not on ${before.commit}`)
        ]
      return []
    }
    const known = changeSets.filter((each) => each !== null)
    const made = candidate?.derived ?? []
    const wrong = yield* Effect.filter(known, ({ commit, tree }) =>
      Effect.map(repositories.resolve(ref, commit), (found) => found.tree !== tree)
    )
    const own = wrong.map(({ id, tree }) =>
      difference("changeset_mismatch", `the commit of ${id} has not tree ${tree}`)
    )
    // A ChangeSet that is gone was named; without it there is nothing to derive from.
    if (known.length < changeSets.length || changeSets.length === 0) return own
    const derived = yield* derive({
      ref,
      base: before,
      result: step,
      commits: known.map(({ commit }) => commit),
      reached,
      derived: new Map(known.map(({ commit, id }) => [commit, made.filter(({ changeSet }) => changeSet === id)]))
    })
    const strange = made.filter(({ changeSet }) => !known.some(({ id }) => id === changeSet))
    const unknown = strange.map(({ changeSet, path }) =>
      difference("tree_not_derived", `${path} was derived for ${changeSet}, which is no ChangeSet of it`)
    )
    return [...own, ...unknown, ...derived]
  },
  Effect.catchTags({
    ObjectNotFound: missing,
    TreeTooLarge: ({ actual, limit }) =>
      Effect.succeed([difference("tree_not_derived", `a tree has ${actual} ${limit}`)])
  })
)

/** What is wrong with the statements, by the generation at which it was seen. */
const ofStatements = Effect.fnUntraced(function* (project: Project) {
  const seen = new Map<string, number>()
  const differences = yield* steadily(
    Effect.map(statementDifferences(project), (found) =>
      found.map(({ generation, ...each }) => {
        seen.set(`${each.code} ${each.detail}`, generation)
        return each
      })
    )
  )
  return differences.map((each) => [seen.get(`${each.code} ${each.detail}`) ?? 0, [each]] as const)
})

/** That the head is the newest generation, and canonical `main` the newest synced one. */
const ofHead = Effect.fnUntraced(function* (projectId: string) {
  const head = (yield* demand("head", projectId)).record
  const found: Array<Difference> = []
  const newest = yield* stepAt(projectId, head.generation)
  if (newest?.commit !== head.commit || newest.tree !== head.tree)
    found.push(difference("head_mismatch", `the head has commit ${head.commit} and tree ${head.tree}`))
  if ((yield* stepAt(projectId, head.generation + 1)) !== null)
    found.push(
      difference("history_beyond_head", `there is an S${head.generation + 1}, and the head is S${head.generation}`)
    )
  const synced = yield* stepAt(projectId, head.syncedGeneration)
  const main = yield* Effect.flatMap(Repositories, (repositories) => repositories.main(projectId)).pipe(
    Effect.map(({ commit }) => commit),
    Effect.catchTag("ObjectNotFound", () => Effect.succeed("nowhere"))
  )
  if (synced !== null && main !== synced.commit)
    found.push(difference("main_mismatch", `main is at ${main}, S${synced.generation} is ${synced.commit}`))
  return found
})
