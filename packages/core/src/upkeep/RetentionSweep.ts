/**
 * The daily sweep of what expires, body of `retention.sweep` (specification, "Retention"): previews with their data
 * stores, what was left of removed apps and archived Projects, the archive of events, how much bundles come to, objects
 * of previews, temporary objects, archived events, in development also evidence, litter among packs, then dead letters,
 * deliveries to webhooks, and events. In bounded messages.
 */
import { Effect, Schema } from "effect"
import { AppData } from "../app/AppData.ts"
import type { Pointer } from "../model/Pointer.ts"
import { PointerSignal } from "../app/PointerSignal.ts"
import { takeDown } from "../app/Removal.ts"
import { dismissOld } from "../worker/DeadLetters.ts"
import { forgetOld } from "../webhook/Deliveries.ts"
import { system } from "../model/Actor.ts"
import type * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { pointerKey } from "../model/Entities.ts"
import { Records } from "../ledger/Records.ts"
import { Retention } from "../ledger/Retention.ts"
import { type ObjectInfo, ObjectStore } from "../objects/ObjectStore.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings, type SettingsShape } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { reportPage } from "../bundle/BundleReports.ts"
import { archivePage } from "./EventArchive.ts"
import { sweepArchived, sweepRemoved } from "./Leftovers.ts"
import { sweepLitter } from "./PackSweep.ts"
import { pass, passes } from "./Pass.ts"

const stages = [
  "previews",
  "apps",
  "projects",
  "archive",
  "bundles",
  "objects",
  "packs",
  "letters",
  "deliveries",
  "records"
] as const
const Cursor = Schema.Struct({
  stage: Schema.Literals(stages),
  /** Which of the prefixes, and the last key, or page of records, that was looked at. */
  prefix: Schema.Finite,
  after: Schema.NullOr(Schema.String)
})
interface Cursor extends Schema.Schema.Type<typeof Cursor> {}

/** The pieces of this sweep in the journal: each says where the next one begins. */
export const retentionPasses = passes(Cursor)

/**
 * What a sweep looks after: all of an installation, or, where each Project has a database of its own, that Project, or
 * what is no Project's. Bytes that the rows of another database may name are not looked at.
 */
export type Share = "all" | "noProjects" | { readonly projectId: string }

/** With what the keys of a share begin behind their kind. */
const ownKeys = (share: Share): string => (typeof share === "string" ? "" : `${share.projectId}/`)

interface Expiring {
  readonly prefix: string
  readonly days: number
}

/** Of no Project. */
const temporary: Expiring = { prefix: "tmp/", days: Limits.temporaryDays }

/** Objects of Projects that expire. In production evidence is kept for ever. */
const ofProjects = (environment: SettingsShape["environment"], own: string): ReadonlyArray<Expiring> => [
  { prefix: `app-previews/${own}`, days: Limits.previewDays },
  {
    prefix: `events/${own}`,
    days: environment === "production" ? Limits.retentionDaysEvents : Limits.eventDaysDevelopment
  },
  ...(environment === "development" ? [{ prefix: `evidence/${own}`, days: Limits.evidenceDaysDevelopment }] : [])
]

const expiringIn = (environment: SettingsShape["environment"], share: Share): ReadonlyArray<Expiring> => [
  ...(typeof share === "string" ? [temporary] : []),
  ...(share === "noProjects" ? [] : ofProjects(environment, ownKeys(share)))
]

/** Where the sweep of a share begins. What is no Project's has none of what comes before. */
const beginningOf = (share: Share): Cursor => ({
  stage: share === "noProjects" ? "objects" : "previews",
  prefix: 0,
  after: null
})

/** A message of an earlier version may stand where this sweep does not go. */
const within = (from: Cursor, beginning: Cursor): Cursor =>
  stages.indexOf(from.stage) < stages.indexOf(beginning.stage) ? beginning : from

/** The next page of Projects, or the next stage after the last one. */
const onPage = (from: Cursor, next: Cursor["stage"], after: string | null): Cursor =>
  after === null ? { ...from, stage: next, after: null } : { ...from, after }

/** The body of `retention.sweep`, one message. */
export const sweepExpired = (share: Share) =>
  Effect.gen(function* () {
    const expiring = expiringIn((yield* Settings).environment, share)
    const now = yield* Time.nowMillis
    const beginning = beginningOf(share)
    yield* pass(retentionPasses, beginning, (cursor) =>
      Effect.gen(function* () {
        const from = within(cursor, beginning)
        const rule = expiring[from.prefix]
        if (from.stage === "previews")
          return (yield* sweepPreviews(now)) ? from : ({ ...from, stage: "apps" } as Cursor)
        if (from.stage === "apps") return onPage(from, "projects", yield* sweepRemoved(from.after))
        if (from.stage === "projects") return onPage(from, "archive", yield* sweepArchived(from.after))
        // Before the feed's own events go.
        if (from.stage === "archive") return onPage(from, "bundles", yield* archivePage(from.after))
        if (from.stage === "bundles") return onPage(from, "objects", yield* reportPage(from.after))
        if (from.stage === "objects" && rule !== undefined) {
          const after = yield* sweepObjects(rule, from.after, now)
          return { ...from, prefix: after === null ? from.prefix + 1 : from.prefix, after } as Cursor
        }
        // A message of an earlier version goes on with the records of this sweep, and with the letters tomorrow.
        if (from.stage === "objects") return { ...from, stage: "packs", after: null } as Cursor
        if (from.stage === "packs")
          return onPage(
            from,
            "letters",
            share === "noProjects" ? null : yield* sweepLitter(from.after, now, ownKeys(share))
          )
        if (from.stage === "letters") return (yield* dismissOld) ? from : ({ ...from, stage: "deliveries" } as Cursor)
        if (from.stage === "deliveries") return (yield* forgetOld) ? from : ({ ...from, stage: "records" } as Cursor)
        yield* (yield* Retention).sweep
        return null
      })
    )
  }).pipe(Effect.withSpan("RetentionSweep.sweepExpired"))

/** Deletes a page of previews that are over, the oldest first. Answers whether there may be more. */
const sweepPreviews = Effect.fnUntraced(function* (now: number) {
  const before = Time.fromMillis(now - Limits.previewDays * Time.dayMs)
  const page = yield* (yield* Records).list("pointer", { where: { expires: "yes" } })
  const old = page.items.filter(({ record }) => record.createdAt <= before)
  yield* Effect.forEach(old, ({ record }) => deletePreview(record), { discard: true })
  return page.nextCursor !== null && old.length === page.items.length
})

/**
 * First the row serves nothing any more, so that nobody writes what is wiped next. The data goes before the row: a row
 * that is still there is found again.
 */
const deletePreview = Effect.fnUntraced(function* (old: Pointer) {
  const { projectId, channel, label } = old
  yield* decideAndCommit(ending(old, takeDown))
  yield* (yield* PointerSignal).moved(label)
  yield* (yield* AppData).wipe({ project: projectId, channel })
  yield* decideAndCommit(
    ending(old, (draft, { revision }) => draft.writes.push(deletion(projectId, channel, revision)))
  )
  yield* (yield* PointerSignal).moved(label)
})

const deletion = (projectId: string, channel: string, revision: number): Commit.Write => ({
  _tag: "Delete",
  kind: "pointer",
  id: pointerKey(projectId, channel),
  revision
})

/** One write to the row that was found old; none when it is gone, or another has taken its place. */
const ending = Effect.fnUntraced(function* (
  old: Pointer,
  end: (draft: Draft.Draft, pointer: Commit.Stored<Pointer>) => void
) {
  const { projectId, channel, createdAt } = old
  const pointer = yield* find("pointer", pointerKey(projectId, channel))
  if (pointer === null || pointer.record.createdAt !== createdAt) return { answer: undefined }
  const draft = Draft.begin(projectId, system("RetentionSweep.preview"), yield* Time.now)
  end(draft, pointer)
  if (draft.writes.length === 0) return { answer: undefined }
  return { answer: undefined, commit: Draft.end(draft, { name: "RetentionSweep.preview" }) }
})

/** Deletes what is too old among the next objects of a prefix. Answers the last key that it looked at; null at the end. */
const sweepObjects = Effect.fnUntraced(
  function* ({ prefix, days }: Expiring, after: string | null, now: number) {
    const objects = yield* ObjectStore
    const found = yield* objects.list(prefix, after === null ? {} : { after })
    const old = found.filter((each) => each.storedAtMs <= now - days * Time.dayMs)
    const shown = yield* shownBundles(old)
    yield* Effect.forEach(
      old.filter(({ key }) => !shown.has(previewBundle(key) ?? "")),
      (each) => expire(each),
      { discard: true }
    )
    return found.length < Limits.objectListLimit ? null : (found.at(-1)?.key ?? null)
  },
  Effect.catchTag("InvalidKey", Effect.die)
)

/** The prefix of the preview bundle that an object is part of. */
const previewBundle = (key: string): string | undefined => /^app-previews\/[^/]+\/[^/]+\//.exec(key)?.[0]

/** The preview bundles among these that a row still shows: it was written after the build, and may outlive it by a day. */
const shownBundles = Effect.fnUntraced(function* (old: ReadonlyArray<ObjectInfo>) {
  const records = yield* Records
  const projects = new Set(old.flatMap(({ key }) => /^app-previews\/([^/]+)\//.exec(key)?.[1] ?? []))
  const shown = new Set<string>()
  for (const projectId of projects) {
    const rows = yield* records.list("pointer", {
      projectId,
      where: { expires: "yes", status: "live" },
      limit: "all"
    })
    for (const { record } of rows.items) shown.add((record.bundleKey ?? "").replace(/bundle\.json$/, ""))
  }
  return shown
})

/** A bundle that exists is complete: before the first of its parts goes, its `bundle.json` does. */
const expire = Effect.fnUntraced(function* ({ key }: ObjectInfo) {
  const objects = yield* ObjectStore
  const bundle = previewBundle(key)
  if (bundle !== undefined) yield* objects.remove(`${bundle}bundle.json`)
  yield* objects.remove(key)
})
