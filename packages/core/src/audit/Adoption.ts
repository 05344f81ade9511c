/**
 * Projects that are older than statements get them: the versions of their Policy, what was found of their records, then
 * every generation, marked as told after the fact. Until then what such a Project does is stated by nothing; it is covered
 * here, for all is committed with the chain, which must not be there before.
 */
import { Effect } from "effect"
import { commandId } from "../model/Command.ts"
import { generationKey } from "../model/Entities.ts"
import type { Generation } from "../model/Generation.ts"
import type { AdoptedParticulars } from "../model/Particulars.ts"
import type { Policy } from "../model/Policy.ts"
import type { Project } from "../model/Project.ts"
import type { ProjectId } from "../primitives/Ids.ts"
import { type Statement, statementKey } from "../model/Statement.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { Records } from "../ledger/Records.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { unchangedProject } from "../project/ArchivedProject.ts"
import { adoptedFact, namedLines, policyLine } from "../provenance/AdoptedRecords.ts"
import { policyFact, policyRef, seedFact } from "../provenance/Facts.ts"
import { emptyChain, type Fact, following, signing } from "../provenance/Statements.ts"
import { promotionOf } from "./AuditedPromotion.ts"
import { examine } from "./Audits.ts"

/** Asks for the adoption of every Project that has no chain. At each start; one that waits already is not sent again. */
export const requestAdoptions = Effect.gen(function* () {
  const status = ["active", "archived"]
  const projects = yield* (yield* Records).list("project", { where: { status }, limit: "all" })
  const ledger = yield* Ledger
  for (const { record } of projects.items) {
    if ((yield* find("chain", record.id)) !== null) continue
    const id = commandId("project.adopt", record.id)
    const command = { kind: "project.adopt" as const, id, payload: { projectId: record.id } }
    yield* ledger.commit({ name: "Adoption.send", projectId: record.id, commands: [command] })
  }
}).pipe(Effect.withSpan("Adoption.requestAdoptions"))

/** The body of `project.adopt`. One that has its chain is left as it is. What was archived stays to be read, and is told too. */
export const adopt = (projectId: string) =>
  decideAndCommit(adopting(projectId)).pipe(Effect.withSpan("Adoption.adopt", { attributes: { projectId } }))

/** Whether an audit finds nothing. Of an archived Project there is none: its repository is gone. */
const isClean = ({ id, status }: Project) =>
  status === "archived" ? Effect.succeed(false) : Effect.map(examine(id), ({ findings }) => findings.length === 0)

const adopting = Effect.fnUntraced(function* (projectId: string) {
  const project = yield* demand("project", projectId)
  const policy = yield* find("policy", projectId)
  if (policy === null || (yield* find("chain", projectId)) !== null) return { answer: undefined }
  const head = yield* find("head", projectId)
  const policies = yield* policiesOf(policy.record)
  const promotions = head === null ? [] : yield* promotionsOf(projectId, head.record.generation, policies)
  const newest =
    head === null ? null : (yield* demand("generation", generationKey(projectId, head.record.generation))).record
  const clean = head === null || (yield* isClean(project.record))
  const lines = [
    ...policies.map(policyRef).map(({ sha256, version }) => policyLine(version, sha256)),
    ...promotions.flatMap((promotion) => namedLines(promotion.facts))
  ]
  const facts: ReadonlyArray<Fact> = [
    ...policies.map(policyFact),
    ...(newest === null ? [] : [adoptedFact(newest, lines, clean)]),
    ...promotions
  ]
  const chain = yield* stated(project.record.id, facts)
  return {
    answer: undefined,
    commit: {
      name: "Adoption.adopt",
      projectId,
      expects: [
        unchangedProject(project),
        Commit.unchanged("policy", projectId, policy),
        head === null ? Commit.absent("head", projectId) : Commit.unchanged("head", projectId, head)
      ],
      writes: [
        Commit.insert("chain", chain),
        ...(newest === null ? [] : [Commit.insert("particulars", particulars(newest, policies.length, clean))])
      ],
      commands: [signing(project.record.id)]
    }
  }
})

/** What the statement of the adoption tells that nothing else keeps. It stands after the versions of the Policy. */
const particulars = ({ generation, projectId }: Generation, entry: number, clean: boolean): AdoptedParticulars => ({
  projectId,
  entry,
  generation,
  kind: "adopted",
  clean
})

/** Every version of the Policy, in order. */
const policiesOf = Effect.fnUntraced(function* ({ projectId, version }: Policy) {
  const policies: Array<Policy> = []
  for (let at = 1; at <= version; at++) {
    const stored = yield* find("policyVersion", `${projectId}/${at}`)
    if (stored !== null) policies.push(stored.record)
  }
  return policies
})

/** What every generation up to the head tells. Of one whose records are gone its own row tells what it can. */
const promotionsOf = Effect.fnUntraced(function* (projectId: string, head: number, policies: ReadonlyArray<Policy>) {
  const facts: Array<Fact<"promotion">> = []
  for (let generation = 0; generation <= head; generation++) {
    const step = (yield* demand("generation", generationKey(projectId, generation))).record
    const adopted = { adopted: { promotedAt: step.promotedAt } }
    const policy = policies.find(({ version }) => version === step.policyVersion) ?? policies.at(-1)
    const fact = yield* promotionOf(step, adopted)
    if (fact !== null) facts.push(fact)
    else if (policy !== undefined) facts.push(seedFact(step, policy, adopted))
  }
  return facts
})

/**
 * Stores the statements, a batch at a time, and answers the chain that they make. Until that is stored nobody looks at
 * them: what an adoption that was cut short left is kept where it says the same, and written anew where it does not.
 */
const stated = Effect.fnUntraced(function* (projectId: ProjectId, facts: ReadonlyArray<Fact>) {
  const ledger = yield* Ledger
  const first = yield* find("statement", statementKey(projectId, 0))
  const now = first?.record.at ?? (yield* Time.now)
  let chain = emptyChain(projectId, now)
  for (let from = 0; from < facts.length; from += Limits.statementsPerCommit) {
    const made: Array<Statement> = []
    for (const fact of facts.slice(from, from + Limits.statementsPerCommit)) {
      const next = following(chain, fact, now)
      made.push(next.statement)
      chain = next.chain
    }
    const writes = yield* Effect.forEach(made, (statement) =>
      Effect.map(find("statement", statementKey(projectId, statement.entry)), (there) => {
        if (there === null) return [Commit.insert("statement", statement)]
        return there.record.digest === statement.digest ? [] : [Commit.update("statement", there, statement)]
      })
    )
    if (writes.flat().length > 0) yield* ledger.commit({ name: "Adoption.state", projectId, writes: writes.flat() })
  }
  return chain
})
