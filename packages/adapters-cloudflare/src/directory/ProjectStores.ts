/**
 * The stores of one Project's object: its own records on its own SQLite, the directory's by asking the directory. Each commit
 * goes whole to the object of its scope. What is looked up by its id alone is reserved in the directory before it is committed.
 */
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import type { Commit, Expectation, Stored } from "@pawl/core/ledger/Commit"
import { idOf } from "@pawl/core/ledger/CommitRules"
import { Conflict, Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import type { Kind, RecordOf } from "@pawl/core/model/Entities"
import { Commands } from "@pawl/core/work/Commands"
import type { Stores } from "@pawl/sql/SqlStores"
import { Context, Effect, Option } from "effect"
import { isDirectorys, isInDirectory, isReserved, taskTokenKind } from "./Scopes.ts"
import { asked, type DirectoryCalls, read, type Reserved } from "./Wire.ts"

type Found<K extends Kind> = Stored<RecordOf<K>>

const records = (own: Records["Service"], directory: DirectoryCalls): Records["Service"] => ({
  get: <K extends Kind>(kind: K, id: string) =>
    isInDirectory(kind, id)
      ? Effect.map(
          read("read", () => directory.recordOf(kind, id)),
          (found) => Option.fromNullOr(found as Found<K> | null)
        )
      : own.get(kind, id),
  many: <K extends Kind>(kind: K, ids: ReadonlyArray<string>) =>
    isDirectorys(kind)
      ? Effect.map(
          read("read", () => directory.recordsOf(kind, ids)),
          (found) => found as ReadonlyMap<string, Found<K>>
        )
      : own.many(kind, ids),
  list: (kind, listing) =>
    isDirectorys(kind) ? (read("list", () => directory.pageOf(kind, listing)) as never) : own.list(kind, listing),
  // What is counted by Project is the Projects' own.
  counts: own.counts
})

/** What a commit is about to make that is looked up by its id alone, or by the digest of its token. */
const newIds = ({ writes = [] }: Commit): ReadonlyArray<Reserved> =>
  writes.flatMap((write) => {
    if (write._tag !== "Insert" || !isReserved(write.kind)) return []
    const own = { kind: write.kind, id: idOf(write.kind, write.record) }
    const token = write.kind === "taskRun" ? write.record.tokenHash : undefined
    return token === undefined ? [own] : [own, { kind: taskTokenKind, id: token }]
  })

const keyOf = (each: Expectation): string => `${each.kind} ${each.id}`

/**
 * What a commit of a Project expects of the directory is looked at just before: the two objects share no transaction. Who
 * was removed in between was there when the decision was made.
 */
const holding = Effect.fnUntraced(function* (expects: ReadonlyArray<Expectation>, directory: DirectoryCalls) {
  const kinds = Map.groupBy(expects, ({ kind }) => kind)
  for (const [kind, of] of kinds) {
    const found = yield* read("read", () =>
      directory.recordsOf(
        kind,
        of.map(({ id }) => id)
      )
    )
    for (const each of of) {
      const revision = found.get(each.id)?.revision ?? null
      const expected = each._tag === "Absent" ? null : each.revision
      if (revision !== expected)
        return yield* new Conflict({
          kind,
          id: each.id,
          expected: expected === null ? "absent" : String(expected),
          actual: revision === null ? null : String(revision)
        })
    }
  }
})

const ledger = (
  projectId: string,
  own: Ledger["Service"],
  directory: DirectoryCalls,
  sent: Set<string>,
  committed: () => void
): Ledger["Service"] => ({
  commit: Effect.fnUntraced(function* (commit) {
    if (commit.projectId !== projectId) {
      const { commands = [] } = commit
      for (const { id, leasedBy } of commands) if (leasedBy !== undefined) sent.add(id)
      return yield* asked("commit", () => directory.commit(commit))
    }
    const { expects = [] } = commit
    const elsewhere = expects.filter(({ id, kind }) => isInDirectory(kind, id))
    if (elsewhere.length > 0) yield* holding(elsewhere, directory)
    const ids = newIds(commit)
    if (ids.length > 0) yield* reserving(directory, projectId, ids)
    const there = new Set(elsewhere.map(keyOf))
    const ours = there.size === 0 ? commit : { ...commit, expects: expects.filter((each) => !there.has(keyOf(each))) }
    return yield* Effect.tap(own.commit(ours), () => Effect.sync(committed))
  })
})

const reserving = (directory: DirectoryCalls, projectId: string, ids: ReadonlyArray<Reserved>) =>
  read("reserve", () => directory.reserve(projectId, ids))

/** A dead letter is looked up by its id alone, so that of a command that may die now is reserved too. */
const commands = (
  projectId: string,
  own: Commands["Service"],
  directory: DirectoryCalls,
  sent: Set<string>
): Commands["Service"] => ({
  ...own,
  finish: (lease) =>
    sent.delete(lease.commandId)
      ? Effect.catchTag(Effect.asVoid(asked("finish", () => directory.finish(lease))), "Conflict", Effect.die)
      : own.finish(lease),
  fail: (lease, problem, delayMs) =>
    Effect.andThen(
      reserving(directory, projectId, [{ kind: "deadLetter", id: lease.commandId }]),
      own.fail(lease, problem, delayMs)
    ),
  deadLetters: (of, page) =>
    of === null ? read("read dead letters", () => directory.lettersOf(page ?? {})) : own.deadLetters(of, page)
})

/** Budgets are those of the whole installation. */
const counter = (directory: DirectoryCalls): DailyCounter["Service"] => ({
  used: (name, day) => read("count", () => directory.used(name, day)),
  usedBy: (prefix, day) => read("count", () => directory.usedBy(prefix, day)),
  take: (name, day, max, also = []) => read("count", () => directory.take(name, day, max, also)),
  add: (name, day, amount, also = []) => Effect.asVoid(read("count", () => directory.add(name, day, amount, also)))
})

/** The stores of a Project's object, over what its own SQLite has. `committed` is told of each commit of its own. */
export const projectStores = (
  projectId: string,
  own: Context.Context<Stores>,
  directory: DirectoryCalls,
  committed: () => void
): Context.Context<Stores> => {
  // Commands of the directory that this object holds itself: a Project that is being made.
  const sent = new Set<string>()
  return own.pipe(
    Context.add(Records, records(Context.get(own, Records), directory)),
    Context.add(Ledger, ledger(projectId, Context.get(own, Ledger), directory, sent, committed)),
    Context.add(Commands, commands(projectId, Context.get(own, Commands), directory, sent)),
    Context.add(DailyCounter, counter(directory))
  )
}
