/** Claims: held while a Task is worked, renewed, released when its work ends, expired when nobody renews them. */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type { Claim } from "../model/Claim.ts"
import type { Intent } from "../model/ChangeSet.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Ledger } from "../ledger/Ledger.ts"
import { type Page, Records } from "../ledger/Records.ts"
import { isActive, type Task } from "../model/Task.ts"
import { sha256 } from "../primitives/Digest.ts"
import type { ClaimId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { type FileWork, touchedIn } from "./Touched.ts"
import { intentsOf } from "./Overlaps.ts"

type Stored = Commit.Stored<Claim>

/** What is to be claimed, under its id. */
export interface Wanted extends Intent {
  readonly id: ClaimId
}

const claimIdOf = (taskId: string, { kind, mode, value }: Intent): Effect.Effect<ClaimId> =>
  Effect.map(sha256(`${taskId}\n${kind}\n${mode}\n${value}`), (digest): ClaimId => `clm_${digest.slice(0, 24)}`)

/** What a Task is to claim: what it writes first, each thing once. What would be too long for a path is none. */
export const wantedBy = Effect.fnUntraced(function* (taskId: string, intents: ReadonlyArray<Intent>) {
  const fitting = intents.filter(({ value }) => value !== "" && value.length <= Limits.pathLength + Limits.symbolLength)
  const wanted = yield* Effect.forEach(fitting, (each) =>
    Effect.map(claimIdOf(taskId, each), (id): Wanted => ({ ...each, id }))
  )
  const once = [...new Map(wanted.map((each) => [each.id, each])).values()]
  return once.toSorted((one, other) => Number(one.mode === "read") - Number(other.mode === "read"))
})

/** The paths that a plan names. */
export const plannedIntents = (planned: {
  readonly reads?: ReadonlyArray<string>
  readonly writes: ReadonlyArray<string>
}): ReadonlyArray<Intent> => {
  const named = (mode: Intent["mode"]) => (value: string) => ({ kind: "path" as const, value, mode })
  return [...planned.writes.map(named("write")), ...(planned.reads ?? []).map(named("read"))]
}

/** All claims of a Task, whatever became of them. */
export const claimsOf = (task: Pick<Task, "id" | "projectId">) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(
      records.list("claim", { projectId: task.projectId, where: { taskId: task.id }, limit: "all" }),
      ({ items }) => items
    )
  )

/** The claims that are held in a Project, or of one Change of it. */
export const heldIn = (projectId: string, changeId?: string) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(
      records.list("claim", {
        projectId,
        where: { status: "held", ...(changeId === undefined ? {} : { changeId }) },
        limit: "all"
      }),
      ({ items }) => items
    )
  )

const leaseFrom = (now: Time.Timestamp): Time.Timestamp => Time.fromMillis(Time.toMillis(now) + Limits.claimLeaseMs)

/** Whether a held claim has lost enough of its lease to be written again. */
const isWorn = ({ until }: Claim, now: Time.Timestamp): boolean =>
  Time.toMillis(until) - Time.toMillis(now) <= Limits.claimLeaseMs - Limits.claimRenewMs

/**
 * Puts into a draft that a Task holds what it wants, and still what it held, as many as it may. `there` are all claims of
 * the Task. What is held for long enough is not written.
 */
export const hold = (
  draft: Draft.Draft,
  task: Pick<Task, "id" | "projectId" | "changeId">,
  there: ReadonlyArray<Stored>,
  wanted: ReadonlyArray<Wanted>
): void => {
  const until = leaseFrom(draft.now)
  const before = new Map(there.map((each) => [each.record.id, each]))
  const held = there.filter(({ record }) => record.status === "held")
  for (const each of held)
    if (isWorn(each.record, draft.now)) Draft.update(draft, "claim", each, { until, updatedAt: draft.now })
  let room = Limits.claimsPerTask - held.length
  for (const { id, kind, mode, value } of wanted) {
    const known = before.get(id)
    if (known?.record.status === "held" || room <= 0) continue
    room--
    if (known !== undefined) Draft.step(draft, "claim", known, "heldAgain", { until })
    else
      Draft.insert(draft, "claim", {
        id,
        projectId: task.projectId,
        changeId: task.changeId,
        taskId: task.id,
        kind,
        value,
        mode,
        status: "held",
        until,
        createdAt: draft.now,
        updatedAt: draft.now
      })
  }
}

/** Puts into a draft that claims are not held any more, because the work of their Tasks has ended. */
export const release = (draft: Draft.Draft, claims: ReadonlyArray<Stored>): void => {
  for (const each of claims)
    if (Draft.may(draft, "claim", each, "workEnded")) Draft.step(draft, "claim", each, "workEnded", {})
}

/**
 * Holds what the agent of a Task reads and writes, and renews what it holds already. Nothing happens when the Task is not
 * worked any more. Fails with `Unknown` when there is no such Task.
 */
export const claim = Effect.fnUntraced(function* (taskId: string, intents: ReadonlyArray<Intent>) {
  const wanted = yield* wantedBy(taskId, intents)
  yield* decideAndCommit(
    Effect.gen(function* () {
      const task = yield* demand("task", taskId)
      if (!isActive(task.record)) return { answer: undefined }
      const draft = Draft.begin(task.record.projectId, system("claims"), yield* Time.now)
      hold(draft, task.record, yield* claimsOf(task.record), wanted)
      if (draft.writes.length === 0) return { answer: undefined }
      // It may end meanwhile: then nothing is held for it any more.
      Draft.expect(draft, Commit.unchanged("task", taskId, task))
      return { answer: undefined, commit: Draft.end(draft, { name: "Claims.claim" }) }
    })
  )
}, Effect.withSpan("Claims.claim"))

/** What an agent did with files. */
export interface WorkDone {
  /** Paths. */
  readonly read: ReadonlyArray<string>
  readonly edited: ReadonlyArray<FileWork>
}

/** Claims what an agent did: the paths that it read, the paths, symbols and routes that it wrote. As `claim`. */
export const claimWork = Effect.fnUntraced(function* (taskId: string, { edited, read }: WorkDone) {
  const reads = read.map((value): Intent => ({ kind: "path", value, mode: "read" }))
  yield* claim(taskId, [...intentsOf(yield* touchedIn(edited)), ...reads])
})

/** Renews what a Task holds, for as long as this runs: it never ends. A store that is away for a moment changes nothing. */
export const renewing = (taskId: string) =>
  Effect.sleep(Limits.claimRenewMs).pipe(Effect.andThen(Effect.ignore(claim(taskId, []))), Effect.forever)

/** Claims that are due of one Task expire together: in one commit, with an event for each. */
const expireAll = (due: ReadonlyArray<Stored>) =>
  Effect.gen(function* () {
    const [first] = due
    if (first === undefined) return
    const draft = Draft.begin(first.record.projectId, system("claims"), yield* Time.now)
    for (const each of due) {
      const { changeId, kind, mode, taskId, value } = each.record
      Draft.step(draft, "claim", each, "leaseEnded", {}, { "claim.expired": { changeId, taskId, kind, value, mode } })
    }
    yield* (yield* Ledger).commit(Draft.end(draft, { name: "Claims.expired" }))
  }).pipe(
    // Renewed or released meanwhile: what is left is found the next time.
    Effect.catchTag("Conflict", () => Effect.void)
  )

/** Expires all claims that nobody has renewed in time. Part of the minute's schedule. */
export const expireClaims = Effect.gen(function* () {
  const records = yield* Records
  const now = yield* Time.nowMillis
  const due = new Map<string, Array<Stored>>()
  let cursor: string | null = null
  do {
    const page: Page<Claim> = yield* records.list("claim", {
      where: { status: "held" },
      ...(cursor === null ? {} : { cursor })
    })
    for (const each of page.items)
      if (Time.toMillis(each.record.until) <= now)
        due.set(each.record.taskId, [...(due.get(each.record.taskId) ?? []), each])
    cursor = page.nextCursor
  } while (cursor !== null)
  yield* Effect.forEach(due.values(), expireAll, { discard: true })
}).pipe(Effect.withSpan("Claims.expire"))
