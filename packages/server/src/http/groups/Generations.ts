/** Generations by their numbers: one, those below one, the releases of these, and what changes between two. */
import { NoSource } from "@pawl/core/app/Apps"
import { find } from "@pawl/core/ledger/Decision"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { search } from "@pawl/core/ledger/Search"
import type { Change } from "@pawl/core/model/Change"
import { generationKey } from "@pawl/core/model/Entities"
import type { Generation, Trigger } from "@pawl/core/model/Generation"
import { releaseId } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import { short } from "@pawl/core/primitives/ShortText"
import type { Project } from "@pawl/core/model/Project"
import type { Release } from "@pawl/core/model/Release"
import { placeOf } from "@pawl/core/project/SourceSync"
import { Effect } from "effect"
import { type Listed, listed } from "../answer/RecordPages.ts"
import { versionUrl } from "./AppAnswers.ts"
import { diffAnswer } from "./CandidateDiff.ts"

interface Asked {
  readonly limit?: number
  readonly cursor?: string
  /** Generations with smaller numbers alone. */
  readonly before?: number
}

/** The records that have these keys, in the order of the keys. Numbers lead on from page to page, so there is no cursor. */
const inOrder = Effect.fnUntraced(function* <K extends "generation" | "release">(kind: K, ids: ReadonlyArray<string>) {
  const found = yield* (yield* Records).many(kind, ids)
  return { items: ids.flatMap((id) => found.get(id)?.record ?? []), nextCursor: null }
})

/** The numbers of a page below one, the newest first. */
const below = (before: number, limit: number = Limits.pageSize): ReadonlyArray<number> =>
  Array.from({ length: Math.min(limit, before) }, (_, index) => before - 1 - index)

/** What the Change of a generation was for. */
const purposeOf = ({ goal, rollbackReason, rollbackTarget }: Change) => ({
  title: short(goal),
  ...(rollbackTarget === undefined ? {} : { rollbackTarget }),
  ...(rollbackReason === undefined ? {} : { rollbackReason })
})

/** Tells generations with the addresses of their versions and what their Changes were for: one question for all of these. */
const tellingOf = Effect.fnUntraced(function* (generations: ReadonlyArray<Generation>) {
  const ids = generations.flatMap(({ changeId }) => changeId ?? [])
  const changes = yield* (yield* Records).many("change", ids)
  return (each: Generation) => {
    const change = changes.get(each.changeId ?? "")
    const purpose = change === undefined ? {} : purposeOf(change.record)
    return Effect.map(versionUrl(each), (url) => ({ ...each, url, ...purpose }))
  }
})

interface AskedVersions extends Asked {
  readonly trigger?: Trigger | ReadonlyArray<Trigger>
}

/**
 * A page of generations, newest first, each with the address of its version and what its Change was for; with `trigger` those that came to be in one
 * of these ways. No index leads to them: a promotion writes a page for each.
 */
export const versionsOf = Effect.fnUntraced(function* (
  { id: projectId }: Project,
  { before, trigger, ...asked }: AskedVersions
) {
  const triggers = typeof trigger === "string" ? [trigger] : trigger
  const fits = (each: Generation): boolean => triggers?.includes(each.trigger) !== false
  const line = { projectId, order: "newest" } as const
  const page =
    before !== undefined
      ? yield* inOrder(
          "generation",
          below(before, asked.limit).map((n) => generationKey(projectId, n))
        )
      : triggers === undefined
        ? yield* listed("generation", { ...line, ...asked })
        : yield* searched(line, fits, asked)
  const items = page.items.filter(fits)
  return { ...page, items: yield* Effect.forEach(items, yield* tellingOf(items)) }
})

const searched = (
  line: { readonly projectId: string; readonly order: "newest" },
  fits: (each: Generation) => boolean,
  asked: Omit<Asked, "before">
) =>
  Effect.flatMap(Records, (records) =>
    search(
      (from) =>
        Effect.map(records.list("generation", { ...line, ...from }), ({ items, ...rest }) => ({
          ...rest,
          items: items.map(({ record }) => record)
        })),
      fits,
      asked
    )
  )

/** The generation of a number, as `versionsOf` tells each. Fails with `Unknown` where there is none. */
export const versionOf = Effect.fnUntraced(function* ({ id }: Project, n: number) {
  const generation = yield* generationOf(id, n)
  return yield* (yield* tellingOf([generation]))(generation)
})

interface AskedReleases extends Asked {
  readonly status?: Release["status"] | ReadonlyArray<Release["status"]>
}

/**
 * A page of releases, newest first. With `before`: of the generations that `versionsOf` answers for the same, those in
 * one of the statuses.
 */
export const releasesOf = (
  { id: projectId }: Project,
  { before, status, ...asked }: AskedReleases
): Effect.Effect<Listed<Release>, LedgerUnavailable, Records> => {
  if (before === undefined)
    return listed("release", {
      projectId,
      order: "newest",
      ...(status === undefined ? {} : { where: { status } }),
      ...asked
    })
  const ids = below(before, asked.limit).map((n) => releaseId(projectId, n))
  const statuses = typeof status === "string" ? [status] : status
  return Effect.map(inOrder("release", ids), ({ items, ...rest }) => ({
    ...rest,
    items: items.filter((each) => statuses?.includes(each.status) !== false)
  }))
}

const generationOf = (projectId: string, n: number) =>
  Effect.flatMap(find("generation", generationKey(projectId, n)), (found) =>
    found === null ? new Unknown({ kind: "generation", id: `S${n}` }) : Effect.succeed(found.record)
  )

/** What changes from one generation to another, whichever is older. Fails with `Unknown` where one is not there, and with  `NoSource`. */
export const comparison = Effect.fnUntraced(function* (
  { id: projectId }: Project,
  { from: older, path, to: newer }: { readonly from?: number; readonly to?: number; readonly path?: string }
) {
  const head = (yield* find("head", projectId))?.record
  if (head === undefined) return yield* new NoSource({ projectId })
  const to = yield* generationOf(projectId, newer ?? head.generation)
  const from = yield* generationOf(projectId, older ?? Math.max(0, to.generation - 1))
  // Where the newer one is kept the older one can be read too.
  const place = placeOf(head, from.generation > to.generation ? from : to)
  return yield* diffAnswer({
    ...place,
    from: from.commit,
    to: to.commit,
    within: path,
    asked: { kind: "generation", id: `S${from.generation}..S${to.generation}` }
  })
})
