/**
 * Removing a Project's app. Every host answers 410 with the commit that removes it; `app.remove` then wipes the data
 * stores and what the app printed, deletes both bundle prefixes and deletes the rows. The production row stays behind,
 * empty and `removed`: it is the label's tombstone until the next deploy makes a new pointer of it.
 */
import { Effect } from "effect"
import { type Actor, system } from "../model/Actor.ts"
import { Commands } from "../work/Commands.ts"
import type * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { generationKey, pointerKey } from "../model/Entities.ts"
import { chainOf, releaseDigest } from "../provenance/Chains.ts"
import { sayOutcome } from "../provenance/ReleaseStatements.ts"
import { Process, Waiting } from "../work/Processes.ts"
import { Records } from "../ledger/Records.ts"
import { Unknown } from "../ledger/Refusals.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { touchHead } from "../project/HeadGuard.ts"
import { bundleKinds } from "../bundle/Bundle.ts"
import { appCleanup } from "../bundle/Strays.ts"
import { AppData } from "./AppData.ts"
import { AppLogs } from "./AppLogs.ts"
import { type Pointer, pointerStatuses } from "../model/Pointer.ts"
import { PointerSignal } from "./PointerSignal.ts"

const production = (projectId: string) => pointerKey(projectId, "production")

const served = pointerStatuses.filter((status) => status !== "removed")

const nothing = { commit: null, generation: null, bundleKey: null, bundleDigest: null, provenance: null, reason: null }

/** Takes the bundle from a row: it serves nothing any more. One that is removed already stays as it is. */
export const takeDown = (
  draft: Draft.Draft,
  pointer: Commit.Stored<Pointer>,
  more: { readonly leftovers?: true } = {}
) => {
  if (!Draft.may(draft, "pointer", pointer, "remove")) return
  const { lastGood: _, ...row } = pointer.record
  Draft.step(draft, "pointer", { ...pointer, record: row }, "remove", { ...nothing, ...more })
}

/**
 * Removes the app, its production row first, and answers that row. `null` when the Project never had one; nothing is
 * written when it is removed already. Routers take previews and versions for removed as soon as the production row is,
 * so that one commit of bounded size is enough however many rows there are.
 */
export const takeDownApp = Effect.fnUntraced(function* (draft: Draft.Draft) {
  const { projectId } = draft
  const pointer = yield* find("pointer", production(projectId))
  if (pointer === null || !Draft.may(draft, "pointer", pointer, "remove")) return pointer?.record ?? null
  yield* sayRemoved(draft, pointer.record)
  takeDown(draft, pointer, { leftovers: true })
  const others = yield* (yield* Records).list("pointer", { projectId, where: { status: served }, order: "newest" })
  for (const each of others.items) if (each.record.channel !== "production") takeDown(draft, each)
  return Draft.newest(draft, "pointer", pointer).record
})

/** What was served is served no more. Nothing is said of an app that served nothing. */
const sayRemoved = Effect.fnUntraced(function* (draft: Draft.Draft, pointer: Pointer) {
  const { generation, projectId } = pointer
  if (generation === null) return
  const step = yield* find("generation", generationKey(projectId, generation))
  if (step === null) return
  const release = yield* releaseDigest(projectId, generation)
  sayOutcome(draft, yield* chainOf(projectId), step.record, { outcome: "removed", release, probes: null })
})

/**
 * Removes the app and answers its pointer. A repeat answers the same, and has what is left cleaned away should that have
 * failed for good. `Unknown` when the Project never had an app.
 */
export const remove = (actor: Actor, projectId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const draft = Draft.begin(projectId, actor, yield* Time.now)
      const pointer = yield* takeDownApp(draft)
      if (pointer === null) return yield* new Unknown({ kind: "app", id: projectId })
      const { label, leftovers } = pointer
      if (draft.writes.length > 0) {
        Draft.add(draft, ...(yield* touchHead(projectId)))
        Draft.emit(draft, "app.removed", projectId, { label })
        Draft.send(draft, appCleanup(projectId))
        return { answer: pointer, commit: Draft.end(draft, { name: "Removal.remove" }) }
      }
      if (leftovers !== true) return { answer: pointer }
      Draft.send(draft, appCleanup(projectId))
      return { answer: pointer, commit: Draft.end(draft, { name: "Removal.again" }) }
    })
  ).pipe(
    Effect.tap((pointer) => Effect.flatMap(PointerSignal, (signal) => signal.moved(pointer.label))),
    Effect.withSpan("Removal.remove", { attributes: { projectId } })
  )

/**
 * The incarnation of a Project's app, or `null` without an app. Fails with `Waiting` while an earlier app
 * is still being cleaned away: a bundle that is found or stored now could be deleted before it is served. Whoever moves
 * a pointer asks before it obtains the bundle, and serves it only while the incarnation is the same.
 */
export const incarnationOf = (projectId: string) =>
  Effect.flatMap(find("pointer", production(projectId)), (pointer) => {
    if (pointer === null || pointer.record.status === "removed") return Effect.succeed(null)
    return pointer.record.leftovers === true
      ? Effect.fail(new Waiting("the app before is still being cleaned away", Limits.removalWaitMs))
      : Effect.succeed(pointer.record.incarnation)
  })

/** The body of `app.remove`. Repeating it is safe, and does nothing once all is cleaned. */
export const cleanIfRemoved = (projectId: string) =>
  Effect.gen(function* () {
    const pointer = yield* find("pointer", production(projectId))
    if (pointer?.record.leftovers === true) yield* cleanApp(projectId)
  }).pipe(Effect.withSpan("Removal.cleanUp", { attributes: { projectId } }))

/**
 * Wipes the stores, deletes the bundles, deletes the rows: in this order, so that what is cut short is found again. Only
 * the app that it began with is clean then: one that was removed meanwhile is cleaned by the command sent for that.
 */
export const cleanApp = Effect.fnUntraced(function* (projectId: string) {
  const incarnation = (yield* find("pointer", production(projectId)))?.record.incarnation
  yield* wipeStores(projectId)
  yield* renewLease
  yield* (yield* AppLogs).wipe(projectId)
  const objects = yield* ObjectStore
  for (const kind of bundleKinds) {
    yield* renewLease
    yield* objects.removePrefix(`${kind}/${projectId}/`).pipe(Effect.catchTag("InvalidKey", Effect.die))
  }
  yield* deleteRows(projectId)
  yield* decideAndCommit(cleaning(projectId, incarnation))
  const project = yield* demand("project", projectId)
  yield* (yield* PointerSignal).moved(project.record.label)
})

/** Fails when the lease was lost: another worker may have ended this, and a next app may hold what is to be deleted. */
const renewLease = Effect.gen(function* () {
  const { lease } = yield* Process
  yield* (yield* Commands).renew(lease, Limits.commandLeaseMs)
})

const wipeStores = Effect.fnUntraced(function* (projectId: string) {
  const records = yield* Records
  const data = yield* AppData
  let cursor: string | null = null
  do {
    const page: { readonly channels: ReadonlyArray<string>; readonly next: string | null } = yield* Effect.map(
      records.list("pointer", { projectId, ...(cursor === null ? {} : { cursor }) }),
      ({ items, nextCursor }) => ({ channels: items.map((each) => each.record.channel), next: nextCursor })
    )
    yield* renewLease
    for (const channel of page.channels) yield* data.wipe({ project: projectId, channel })
    cursor = page.next
  } while (cursor !== null)
})

/** Deletes the rows of previews and versions, a page at a time. None is made while there are leftovers. */
const deleteRows = (projectId: string) =>
  Effect.repeat(
    decideAndCommit(
      Effect.gen(function* () {
        const page = yield* (yield* Records).list("pointer", { projectId })
        const rows = page.items.filter((each) => each.record.channel !== "production")
        if (rows.length === 0) return { answer: 0 }
        const writes = rows.map((each): Commit.Write => ({
          _tag: "Delete",
          kind: "pointer",
          id: pointerKey(projectId, each.record.channel),
          revision: each.revision
        }))
        const { lease } = yield* Process
        return { answer: rows.length, commit: { name: "Removal.deleteRows", projectId, lease, writes } }
      })
    ),
    { until: (count) => count === 0 }
  )

const cleaning = Effect.fnUntraced(function* (projectId: string, incarnation: number | undefined) {
  const pointer = yield* find("pointer", production(projectId))
  if (pointer?.record.leftovers !== true || pointer.record.incarnation !== incarnation) return { answer: undefined }
  const draft = Draft.begin(projectId, system("Removal.cleaned"), yield* Time.now)
  Draft.update(draft, "pointer", pointer, { leftovers: false })
  return { answer: undefined, commit: Draft.end(draft, { name: "Removal.cleaned", lease: (yield* Process).lease }) }
})
