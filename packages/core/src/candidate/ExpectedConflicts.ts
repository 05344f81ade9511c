/**
 * What a Candidate writes and others write too, told before it is composed: ChangeSets of its own that were not built on
 * each other, those of other Changes that are open or have landed since its base, and what agents hold right now. The
 * same records give the same answer, and no model is asked. It refuses nothing: git decides.
 */
import { Effect } from "effect"
import { wholeChangeSet } from "../changeset/Listing.ts"
import { intentsOf, meetings, type Other, overlapsWith, type Writes, writesOf } from "../claim/Overlaps.ts"
import { type FileWork, type Touched, touchedIn } from "../claim/Touched.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { ChangeStatus } from "../model/Change.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import type { Claim } from "../model/Claim.ts"
import { generationKey } from "../model/Entities.ts"
import type { Overlap } from "../model/Overlap.ts"
import type { Task } from "../model/Task.ts"
import { demand, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import { lockFiles } from "../packages/OwedLock.ts"
import { workspaceFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { wholeText } from "../primitives/Utf8.ts"
import { Repositories } from "../project/Repositories.ts"
import { mayHaveSymbols } from "../project/Symbols.ts"
import { readBytes } from "../project/Source.ts"
import { dependenciesOf } from "../task/Workspaces.ts"

/** Of a Change whose work may still land, and has not. */
const open: ReadonlyArray<ChangeStatus> = ["running", "budget_blocked", "verifying", "awaiting_approval", "promoting"]

const locks: ReadonlyArray<string> = Object.values(lockFiles)

/** A lock is none of what ChangeSets have in common: composing makes it anew of what both say. */
const pathsOf = ({ files }: ChangeSet): ReadonlySet<string> =>
  new Set(files.map(({ path }) => path).filter((path) => !locks.includes(path)))

/** Whether one ChangeSet was built on another: their Tasks have an order, or one begins at the other's commit. */
const isBuiltOn = (own: ChangeSet, other: ChangeSet, all: ReadonlyArray<ChangeSet>, tasks: ReadonlyArray<Task>) => {
  const task = tasks.find(({ id }) => id === own.taskId)
  if (task !== undefined && dependenciesOf(task, tasks).some(({ id }) => id === other.taskId)) return true
  let at: ChangeSet | undefined = own
  for (let steps = 0; at !== undefined && steps <= all.length; steps++) {
    if (at.baseCommit === other.commit) return true
    const base: string = at.baseCommit
    at = all.find(({ commit }) => commit === base)
  }
  return false
}

/** ChangeSets of other Changes that are open, the newest of them. */
const ofOpenChanges = Effect.fnUntraced(function* (candidate: Candidate) {
  const records = yield* Records
  const { changeId, projectId } = candidate
  const changes = yield* records.list("change", {
    projectId,
    where: { status: open },
    order: "newest",
    limit: Limits.overlapsTold
  })
  const ids = changes.items.map(({ record }) => record.id).filter((id) => id !== changeId)
  if (ids.length === 0) return { changeSets: [], claims: [] }
  const changeSets = yield* records.list("changeSet", {
    projectId,
    where: { changeId: ids },
    order: "newest",
    limit: Limits.pageSize
  })
  const claims = yield* records.list("claim", { projectId, where: { changeId: ids }, limit: "all" })
  return { changeSets: changeSets.items.map(({ record }) => record), claims: claims.items.map(({ record }) => record) }
})

/** ChangeSets that have landed since the oldest base of some others. */
const landedSince = Effect.fnUntraced(function* (candidate: Candidate, mine: ReadonlyArray<ChangeSet>) {
  const { baseGeneration, changeId, projectId } = candidate
  const oldest = Math.min(baseGeneration, ...mine.map((each) => each.baseGeneration))
  const first = Math.max(oldest + 1, baseGeneration - Limits.overlapGenerations + 1)
  const ids: Array<string> = []
  for (let n = baseGeneration; n >= first; n--) {
    const generation = (yield* find("generation", generationKey(projectId, n)))?.record
    if (generation === undefined || generation.candidateId === null || generation.changeId === changeId) continue
    const promoted = yield* find("candidate", generation.candidateId)
    ids.push(...(promoted?.record.changeSets ?? []))
  }
  return yield* Effect.forEach(ids, (id) => Effect.map(demand("changeSet", id), ({ record }) => record))
})

/** The ChangeSet with its whole list, as far as that is still there. */
const listed = (changeSet: ChangeSet) =>
  wholeChangeSet(changeSet).pipe(Effect.catchTag("ObjectMissing", () => Effect.succeed(changeSet)))

/** A file of a ChangeSet as it found it and as it left it; a side that is no text, or is kept no more, is null. */
const fileWork = Effect.fnUntraced(function* (changeSet: ChangeSet, path: string) {
  const ref = { project: changeSet.projectId, fork: workspaceFork(changeSet.runId) }
  const read = (tree: string) =>
    Effect.map(readBytes(ref, tree, path), (bytes) => (bytes === null ? null : wholeText(bytes)))
  return yield* Effect.gen(function* () {
    const base = yield* (yield* Repositories).resolve(ref, changeSet.baseCommit)
    return { path, before: yield* read(base.tree), after: yield* read(changeSet.tree) } satisfies FileWork
  }).pipe(Effect.catchTag("ObjectNotFound", () => Effect.succeed<FileWork>({ path, before: null, after: null })))
})

type Pair = readonly [mine: ChangeSet, other: ChangeSet]

/** Files of code that both sides of some pair change: these are read. */
const sharedFiles = (pairs: ReadonlyArray<Pair>): ReadonlyArray<readonly [ChangeSet, string]> => {
  const shared = new Map<string, readonly [ChangeSet, string]>()
  const paths = new Set<string>()
  for (const [mine, other] of pairs)
    for (const path of meetings(pathsOf(mine), pathsOf(other))) {
      if (!mayHaveSymbols(path) || (paths.size >= Limits.overlapsTold && !paths.has(path))) continue
      paths.add(path)
      for (const each of [mine, other]) shared.set(`${each.id}\n${path}`, [each, path])
    }
  return [...shared.values()]
}

/** What ChangeSets write: of a file that was read by its symbols, of each other by its path. */
const writesBy = Effect.fnUntraced(function* (pairs: ReadonlyArray<Pair>, claims: ReadonlyArray<Claim>) {
  const shared = sharedFiles(pairs)
  const files = yield* Effect.forEach(shared, ([changeSet, path]) => fileWork(changeSet, path), {
    concurrency: Limits.fileReadsAtOnce
  })
  const touched = yield* touchedIn(files)
  const known = new Map(shared.map(([changeSet, path], index) => [`${changeSet.id}\n${path}`, touched[index]!]))
  return (changeSet: ChangeSet): Writes => {
    const whole = (path: string): Touched => ({ path, symbols: null, routes: [] })
    const each = [...pathsOf(changeSet)].map((path) => known.get(`${changeSet.id}\n${path}`) ?? whole(path))
    const routes = [...changeSet.intents, ...claims.filter(({ taskId }) => taskId === changeSet.taskId)]
    return writesOf([...intentsOf(each), ...routes.filter(({ kind }) => kind === "route")])
  }
})

/** What agents of other Changes hold, by Task. */
const heldBy = (claims: ReadonlyArray<Claim>): ReadonlyArray<Other> => {
  const held = claims.filter(({ status }) => status === "held")
  return [...new Set(held.map(({ taskId }) => taskId))].map((taskId) => {
    const own = held.filter((each) => each.taskId === taskId)
    return { changeId: own[0]!.changeId, taskId, writes: writesOf(own) }
  })
}

/** What a Candidate has in common with the work of others; at most `Limits.overlapsTold`, the own Change's first. */
export const expectedConflicts = Effect.fnUntraced(function* (candidate: Candidate) {
  const records = yield* Records
  const mine = yield* Effect.forEach(candidate.changeSets, (id) =>
    Effect.flatMap(demand("changeSet", id), ({ record }) => listed(record))
  )
  const tasks = yield* records.list("task", { where: { changeId: candidate.changeId }, limit: "all" })
  const own = tasks.items.map(({ record }) => record)
  const inside = mine.flatMap((one, index): ReadonlyArray<Pair> =>
    mine
      .slice(0, index)
      .filter((other) => !isBuiltOn(one, other, mine, own) && !isBuiltOn(other, one, mine, own))
      .map((other) => [one, other])
  )
  const around = yield* ofOpenChanges(candidate)
  const others = yield* Effect.forEach([...around.changeSets, ...(yield* landedSince(candidate, mine))], listed)
  if (inside.length === 0 && others.length === 0 && around.claims.length === 0) return []
  const across = mine.flatMap((one) => others.map((other): Pair => [one, other]))
  const ownClaims = yield* records.list("claim", {
    projectId: candidate.projectId,
    where: { changeId: candidate.changeId },
    limit: "all"
  })
  const claims = [...around.claims, ...ownClaims.items.map(({ record }) => record)]
  const writes = yield* writesBy([...inside, ...across], claims)
  const asOther = (each: ChangeSet): Other => ({ changeId: each.changeId, taskId: each.taskId, writes: writes(each) })
  const found = [
    ...inside.flatMap(([one, other]) => overlapsWith(writes(one), [asOther(other)])),
    ...mine.flatMap((one) => overlapsWith(writes(one), [...others.map(asOther), ...heldBy(around.claims)]))
  ]
  const once = new Map(found.map((each) => [JSON.stringify([each.changeId, each.path, each.symbol]), each]))
  return [...once.values()].slice(0, Limits.overlapsTold) satisfies ReadonlyArray<Overlap>
}, Effect.withSpan("ExpectedConflicts.find"))
