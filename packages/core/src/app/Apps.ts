/** A Project's live application: provisioning, and the moves of its production pointer. */
import { Effect, Schema } from "effect"
import { system } from "../model/Actor.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { pointerKey } from "../model/Entities.ts"
import type { Project } from "../model/Project.ts"
import type { Generation } from "../model/Generation.ts"
import { versionId } from "../primitives/Ids.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { commandId } from "../model/Command.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { bundleKey, bundlePrefix } from "../bundle/Bundle.ts"
import { buildCap } from "../bundle/Builds.ts"
import type { Channel, Pointer } from "../model/Pointer.ts"
import { PointerSignal } from "./PointerSignal.ts"
import { appCleanup } from "../bundle/Strays.ts"

/** This installation hosts no live apps. */
export class AppsDisabled extends Schema.TaggedError<AppsDisabled>()("AppsDisabled", {}) {
  override get message() {
    return "This installation hosts no live apps: its apps domain is not configured."
  }
}

/** The Project has no source yet. */
export class NoSource extends Schema.TaggedError<NoSource>()("NoSource", { projectId: Schema.String }) {
  override get message() {
    return `${this.projectId} has no source yet.`
  }
}

/** A stored bundle, by its key and the digest of its bytes. */
export interface BundleRef {
  readonly key: string
  readonly digest: string
}

/**
 * A new pointer row: of the bundle that it serves, or without `served` of none yet. Its incarnation is 1 when not said.
 */
export const pointerRow = (options: {
  readonly project: Project
  readonly channel: Channel
  readonly now: Time.Timestamp
  readonly status: Pointer["status"]
  readonly served?: { readonly commit: string; readonly generation: number | null; readonly bundle: BundleRef }
  readonly candidateId?: Pointer["candidateId"]
  readonly changeId?: Pointer["changeId"]
  readonly incarnation?: number
}): Pointer => ({
  projectId: options.project.id,
  slug: options.project.slug,
  label: options.project.label,
  channel: options.channel,
  incarnation: options.incarnation ?? 1,
  commit: options.served?.commit ?? null,
  generation: options.served?.generation ?? null,
  bundleKey: options.served?.bundle.key ?? null,
  bundleDigest: options.served?.bundle.digest ?? null,
  lastGood: null,
  status: options.status,
  reason: null,
  candidateId: options.candidateId ?? null,
  changeId: options.changeId ?? null,
  createdAt: options.now,
  updatedAt: options.now
})

/**
 * The write of a generation's version row; null when the row is there: version rows never change. Fails with `Unknown`
 * without an app.
 */
export const versionRow = Effect.fnUntraced(function* (
  project: Project,
  served: { readonly commit: string; readonly generation: number; readonly bundle: BundleRef }
) {
  const channel: Channel = `preview:${versionId(served.generation)}`
  if ((yield* find("pointer", pointerKey(project.id, channel))) !== null) return null
  // Of the app that production is of now: its processes and data are never mistaken for those of an app before it.
  const { incarnation } = (yield* demand("pointer", pointerKey(project.id, production))).record
  const now = yield* Time.now
  return Commit.insert("pointer", pointerRow({ project, channel, now, status: "live", served, incarnation }))
})

const production: Channel = "production"

/**
 * `deploy`, unless it would need a build on a day whose builds are used: `BuildCapReached`. What `deploy` would refuse
 * comes first.
 */
export const requestApp = Effect.fnUntraced(function* (projectId: string) {
  if ((yield* Settings).appsDomain === null) return yield* new AppsDisabled()
  yield* demandActive(projectId)
  const head = yield* find("head", projectId)
  if (head !== null) yield* refuseOverCap(projectId, head.record.commit)
  return yield* deploy(projectId)
})

/**
 * Sends `app.provision` for the head of a Project, and answers its production pointer: `building`, or as it is where it
 * serves already. Fails with `AppsDisabled`, `NoSource`, `ProjectArchived` or `Unknown`.
 */
export const deploy = (projectId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      if ((yield* Settings).appsDomain === null) return yield* new AppsDisabled()
      const project = yield* demandActive(projectId)
      const head = yield* find("head", projectId)
      if (head === null) return yield* new NoSource({ projectId })
      const pointer = yield* find("pointer", pointerKey(projectId, production))
      const draft = Draft.begin(projectId, system("Apps.request"), yield* Time.now)
      Draft.expect(draft, unchangedProject(project))
      // A swap meanwhile makes this decide anew, for the generation that it made; and the other way round.
      Draft.update(draft, "head", head, {})
      const next = startBuild(draft, project.record, pointer)
      const { generation } = head.record
      const { incarnation } = next
      Draft.send(draft, {
        kind: "app.provision",
        id: commandId("app.provision", `${projectId}/${incarnation}/${generation}`),
        payload: { projectId, generation, incarnation }
      })
      if (next.leftovers === true) Draft.send(draft, appCleanup(projectId))
      return { answer: next, commit: Draft.end(draft, { name: "Apps.request" }) }
    })
  ).pipe(Effect.tap((pointer) => Effect.flatMap(PointerSignal, (signal) => signal.moved(pointer.label))))

/** The production row once a deploy is asked for: a new pointer, a failed one that builds again, or as it stands. */
const startBuild = (draft: Draft.Draft, project: Project, pointer: Commit.Stored<Pointer> | null): Pointer => {
  const first = { project, channel: production, now: draft.now, status: "building" as const }
  if (pointer === null) return Draft.insert(draft, "pointer", pointerRow(first)).record
  // What was removed may still be being cleaned away: `app.provision` and releases wait for that, `leftovers` stays.
  const anew = pointerRow({ ...first, incarnation: pointer.record.incarnation + 1 })
  if (Draft.may(draft, "pointer", pointer, "deploy"))
    return Draft.step(draft, "pointer", pointer, "deploy", anew).record
  if (Draft.may(draft, "pointer", pointer, "buildStarted"))
    return Draft.step(draft, "pointer", pointer, "buildStarted", { reason: null }).record
  return pointer.record
}

/** A deploy that would need a build on a day whose builds are used is refused at once; a stored bundle needs none. */
const refuseOverCap = Effect.fnUntraced(function* (projectId: string, commit: string) {
  const cap = yield* buildCap(projectId)
  if (cap === null) return
  const objects = yield* ObjectStore
  const stored = yield* objects
    .head(bundleKey(bundlePrefix("apps", projectId, commit)))
    .pipe(Effect.as(true), Effect.catchTags({ ObjectMissing: () => Effect.succeed(false), InvalidKey: Effect.die }))
  if (!stored) return yield* cap
})

/** When a generation's bundle counts as built: the birth of its Candidate, or of the Project. */
export const builtAtOf = (step: Pick<Generation, "candidateId">, project: Project) =>
  step.candidateId === null
    ? Effect.succeed(project.createdAt)
    : Effect.map(demand("candidate", step.candidateId), (candidate) => candidate.record.createdAt)
