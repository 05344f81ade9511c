/** Projects: creating one, seeding its source, and reading its canonical line. */
import { Context, Effect, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { type Actor, system } from "../model/Actor.ts"
import { placeOf, stayOf } from "../access/Departures.ts"
import { checkName } from "../access/Names.ts"
import { deploy } from "../app/Apps.ts"
import { isReservedLabel, labelFor, serviceName } from "../model/HostLabel.ts"
import { defaultPolicy, type Policy } from "../model/Policy.ts"
import type { Generation } from "../model/Generation.ts"
import { commandId, type Lease, type NewCommand } from "../model/Command.ts"
import { Commands } from "../work/Commands.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand, find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { begin, chainOf, say } from "../provenance/Chains.ts"
import { dirHash } from "../provenance/DirHash.ts"
import { policyFact, seedFact } from "../provenance/Facts.ts"
import { readFiles } from "./Source.ts"
import { pointerKey } from "../model/Entities.ts"
import { InvalidField, Unknown } from "../ledger/Refusals.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { utf8 } from "../primitives/Digest.ts"
import { makeUuid, type OrganizationId, type ProjectId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { isTextTooDeep, tooDeep } from "../primitives/Nesting.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { ensureSynced } from "./SourceSync.ts"
import { demandActive, unchangedProject } from "./ArchivedProject.ts"
import { applyEdits } from "./Edits.ts"
import { parsePawlFile } from "./PawlFile.ts"
import { isSlug, Project } from "../model/Project.ts"
import {
  FileContent,
  type FileEdits,
  type InvalidPath,
  Repositories,
  signedAt,
  type TreeTooLarge
} from "./Repositories.ts"
import { textOf } from "../primitives/Utf8.ts"

/** Another Project of the organization has this slug. */
export class SlugTaken extends Schema.TaggedError<SlugTaken>()("SlugTaken", { slug: Schema.String }) {
  override get message() {
    return `Another Project of the organization has the slug ${this.slug}. Choose another.`
  }
}

/** The Project has its source already. */
export class HasSource extends Schema.TaggedError<HasSource>()("HasSource", { projectId: Schema.String }) {
  override get message() {
    return `${this.projectId} has its S0. Record ChangeSets to change it.`
  }
}

/**
 * The id of a Project that is to be made: one by chance. Where each Project has a place of its own, which is there before
 * the Project is, the place says it.
 */
export const NewProjectId = Context.Reference<Effect.Effect<ProjectId>>("@pawl/core/project/Projects/NewProjectId", {
  defaultValue: () => Effect.map(makeUuid, (id): ProjectId => `proj_${id}`)
})

/** A payload is JSON: a record in it is as the store knows it. */
const asJson = Schema.encodeSync(Project)

const SeedFiles = Schema.fromJsonString(Schema.Record(Schema.String, FileContent))
/** Where the files of a seed wait until they are committed; expires with `tmp/`. */
const seedKey = (projectId: string) => `tmp/seed/${projectId}.json`

const checkSlug = (slug: string): Effect.Effect<void, InvalidField> =>
  !isSlug(slug)
    ? Effect.fail(
        new InvalidField({
          code: "invalid_slug",
          field: "slug",
          reason: `use 1 to ${Limits.slugLength} lowercase letters, digits and single inner hyphens`
        })
      )
    : slug.startsWith(serviceName)
      ? Effect.fail(
          new InvalidField({
            code: "invalid_slug",
            field: "slug",
            reason: `names that start with ${serviceName} are reserved`
          })
        )
      : Effect.void

/** Files that cannot be a source are refused before anything is reserved: paths, contents, bounds and `pawl.json`. */
const checkFiles = Effect.fnUntraced(function* (
  files: FileEdits
): Effect.fn.Return<void, InvalidField | InvalidPath | TreeTooLarge> {
  const refuse = (code: string, field: string, reason: string) => new InvalidField({ code, field, reason })
  const entries = Object.entries(files)
  if (entries.length === 0) return yield* refuse("invalid_field", "files", "name at least one file")
  const deleted = entries.find(([, content]) => content === null)?.[0]
  if (deleted !== undefined)
    return yield* refuse("invalid_field", `files.${deleted}`, "a first source has nothing to delete")
  yield* Effect.fromResult(applyEdits<{ readonly size: number }>(new Map(), files, (bytes) => ({ size: bytes.length })))
  const pawl = files["pawl.json"]
  if (pawl === undefined || pawl === null) return
  const text = typeof pawl === "string" ? pawl : Result.getOrElse(Base64.decodeString(pawl.base64), () => "")
  if (isTextTooDeep(text)) return yield* refuse("too_deep", "files.pawl.json", tooDeep)
  const parsed = parsePawlFile(text)
  if (parsed._tag === "Failure") return yield* refuse("invalid_pawl_json", "files.pawl.json", parsed.failure)
})

/** What is asked of a new Project. */
export interface NewProject {
  readonly organizationId: OrganizationId
  /** Unique in the organization; fits `isSlug`. */
  readonly slug: string
  /** For people; the slug where there is none. */
  readonly name?: string
  /** The first source; without it the Project has none. */
  readonly files: FileEdits | null
}

/**
 * Creates a Project: its slug, label and the creator's membership are reserved in the directory, then its source is
 * seeded as S0 and its app is provisioned. When the server dies in between, `project.provision` goes on. Fails with
 * `SlugTaken`, `InvalidField`, `InvalidPath` or `TreeTooLarge`, and with `Unknown` for who has left the organization.
 */
export const create = Effect.fnUntraced(function* (actor: Actor, input: NewProject) {
  yield* checkSlug(input.slug)
  if (input.name !== undefined) yield* checkName("name", input.name, Limits.projectNameLength)
  if (input.files !== null) yield* checkFiles(input.files)
  const id = yield* yield* NewProjectId
  if (input.files !== null) yield* keepSeed(id, input.files)
  const token = yield* makeUuid
  const project = yield* decideAndCommit(reserve(actor, id, input, token))
  yield* provision(project, input.files, actor)
  yield* finished({ commandId: commandId("project.provision", id), token })
  return (yield* demand("project", project.id)).record
}, Effect.withSpan("Projects.create"))

/** A user who creates a Project is its admin until they leave the organization, also when that is at this moment. */
const creatorsEntry = Effect.fnUntraced(function* (actor: Actor, organizationId: OrganizationId, projectId: ProjectId) {
  if (actor.type !== "user") return { expects: [], writes: [] }
  const { place, stay } = yield* placeOf(organizationId, actor.id)
  if (place === null && stay > 0) return yield* new Unknown({ kind: "organization", id: organizationId })
  const key = `${organizationId}/${actor.id}`
  const expects = [
    place === null ? Commit.absent("departure", key) : Commit.unchanged("organizationMember", key, place)
  ]
  const userId = actor.id as `usr_${string}`
  return { expects, writes: [Commit.insert("membership", { projectId, userId, role: "admin", ...stayOf(stay) })] }
})

const reserve = Effect.fnUntraced(function* (actor: Actor, id: ProjectId, input: NewProject, token: string) {
  if ((yield* find("slug", `${input.organizationId}/${input.slug}`)) !== null)
    return yield* new SlugTaken({ slug: input.slug })
  const entry = yield* creatorsEntry(actor, input.organizationId, id)
  const taken = isReservedLabel(input.slug) || (yield* find("label", input.slug)) !== null
  const now = yield* Time.now
  const project: Project = {
    id,
    organizationId: input.organizationId,
    slug: input.slug,
    name: input.name ?? input.slug,
    label: labelFor(input.slug, id, taken),
    status: "provisioning",
    createdBy: actor.id,
    createdAt: now,
    updatedAt: now,
    cleanedAt: null
  }
  return {
    answer: project,
    commit: {
      name: "Projects.reserve",
      projectId: null,
      expects: entry.expects,
      writes: [
        Commit.insert("slug", { organizationId: input.organizationId, slug: input.slug, projectId: id }),
        Commit.insert("label", { label: project.label, projectId: id }),
        ...entry.writes
      ],
      commands: [
        {
          kind: "project.provision" as const,
          id: commandId("project.provision", id),
          payload: { project: asJson(project), hasSource: input.files !== null, actor },
          leasedBy: { token, leaseMs: Limits.commandLeaseMs }
        }
      ]
    }
  }
})

/**
 * The body of `project.provision`: stores the Project, seeds its source, brings `main` there, asks for the app, makes the
 * Project active. Each step does nothing when it was done before. A source that was taken meanwhile stays.
 */
export const provision = Effect.fnUntraced(function* (project: Project, files: FileEdits | null, actor: Actor) {
  yield* decideAndCommit(
    Effect.map(find("project", project.id), (there) =>
      there !== null ? { answer: undefined } : { answer: undefined, commit: stored(project) }
    )
  )
  if (files !== null && (yield* find("head", project.id)) === null)
    yield* seed(project, files, actor).pipe(Effect.catchTag("ProjectArchived", () => Effect.void))
  yield* beginLine(project.id)
  yield* decideAndCommit(activate(project.id))
})

const firstPolicy = (projectId: ProjectId, now: Time.Timestamp): Policy => ({
  projectId,
  version: 1,
  ...defaultPolicy,
  updatedAt: now,
  updatedBy: "system:default"
})

/** A Project with its first Policy: its chain of statements begins with that. */
const stored = (project: Project): Commit.Commit => {
  const policy = firstPolicy(project.id, project.createdAt)
  const draft = Draft.begin(project.id, system("Projects.store"), project.createdAt)
  Draft.insert(draft, "project", project)
  Draft.insert(draft, "policy", policy)
  Draft.insert(draft, "policyVersion", policy)
  begin(draft, project.id, policyFact(policy))
  return Draft.end(draft, { name: "Projects.store" })
}

/** What follows the first source: `main`, then the app. An app that the Project has, or had, is left as it is. */
const beginLine = Effect.fnUntraced(function* (projectId: string) {
  if ((yield* find("head", projectId)) === null) return
  // A `main` that has moved on holds S0.
  yield* ensureSynced(projectId).pipe(Effect.catchTag("NotFastForward", Effect.die))
  if ((yield* Settings).appsDomain === null || (yield* find("pointer", pointerKey(projectId, "production"))) !== null)
    return
  yield* deploy(projectId).pipe(
    Effect.catchTags({ AppsDisabled: Effect.die, NoSource: Effect.die, ProjectArchived: () => Effect.void })
  )
})

const keepSeed = (projectId: string, files: FileEdits) =>
  Effect.flatMap(ObjectStore, (objects) => objects.put(seedKey(projectId), utf8(JSON.stringify(files)))).pipe(
    Effect.catchTag("InvalidKey", Effect.die)
  )

/**
 * The first source of a Project whose creation was cut short: `project.provision` goes on with it. Fails with
 * `ObjectMissing` once `tmp/` has expired.
 */
export const seedFiles = Effect.fnUntraced(function* (projectId: string) {
  const body = yield* (yield* ObjectStore).get(seedKey(projectId))
  return (yield* Schema.decodeUnknownEffect(SeedFiles)(textOf(body))) as FileEdits
})

const activate = Effect.fnUntraced(function* (projectId: string) {
  const project = yield* demand("project", projectId)
  const policy = yield* find("policy", projectId)
  if (project.record.status !== "provisioning") return { answer: undefined }
  const now = yield* Time.now
  const first = firstPolicy(project.record.id, now)
  return {
    answer: undefined,
    commit: {
      name: "Projects.activate",
      projectId,
      writes: [
        Commit.update("project", project, { status: "active", updatedAt: now }),
        // Of one that an earlier version stored, without its Policy: its statements come when it is adopted.
        ...(policy === null ? [Commit.insert("policy", first), Commit.insert("policyVersion", first)] : [])
      ]
    }
  }
})

/**
 * Makes S0 and answers true, or false when the Project has its source already. Of several at once the one that commits
 * the head wins; the repository follows it. The seed's date is the Project's birth, so that repeating it gives the same
 * commit. `commands` carry on what follows, should this process die.
 */
const seed = Effect.fnUntraced(function* (
  project: Project,
  files: FileEdits,
  actor: Actor,
  commands: ReadonlyArray<NewCommand> = []
) {
  const signature = signedAt(project.createdAt)
  const { commit, tree } = yield* (yield* Repositories).seed({
    project: project.id,
    files,
    message: `Seed ${project.slug}`,
    signature
  })
  const digest = yield* readFiles({ project: project.id }, tree).pipe(
    Effect.flatMap(dirHash),
    Effect.catchTag("ObjectNotFound", Effect.die)
  )
  return yield* decideAndCommit(
    Effect.gen(function* () {
      if ((yield* find("head", project.id)) !== null) return { answer: false }
      const active = yield* demandActive(project.id)
      const policy = yield* find("policy", project.id)
      const chain = yield* chainOf(project.id)
      const draft = Draft.begin(project.id, system("Projects.seed"), yield* Time.now)
      const step: Generation = {
        projectId: project.id,
        generation: 0,
        commit,
        tree,
        candidateId: null,
        changeId: null,
        actor,
        trigger: "seed",
        policyVersion: policy?.record.version ?? 1,
        evidenceIds: [],
        approvalId: null,
        approvalIds: [],
        promotedAt: draft.now,
        dirHash: digest
      }
      Draft.expect(draft, unchangedProject(active))
      Draft.insert(draft, "head", { projectId: project.id, generation: 0, commit, tree, syncedGeneration: -1 })
      Draft.insert(draft, "generation", step)
      if (policy !== null) say(draft, chain, () => seedFact(step, policy.record))
      Draft.send(draft, ...commands)
      return { answer: true, commit: Draft.end(draft, { name: "Projects.seed" }) }
    })
  )
}, Effect.withSpan("Projects.seed"))

/**
 * Seeds S0 of a Project that has none, and asks for its app. `HasSource` for all but one, however many ask at once. What
 * is cut short before the head is committed was told to nobody: the next seed, of whatever files, begins anew. What
 * follows the commit goes on by a `project.provision` of the Project's own.
 */
export const addSource = Effect.fnUntraced(function* (actor: Actor, projectId: string, files: FileEdits) {
  yield* checkFiles(files)
  const project = (yield* demandActive(projectId)).record
  if ((yield* find("head", projectId)) !== null) return yield* new HasSource({ projectId })
  const token = yield* makeUuid
  const id = commandId("project.provision", `${projectId}/source`)
  const carriesOn: NewCommand = {
    kind: "project.provision",
    id,
    payload: { project: asJson(project), hasSource: false, actor },
    leasedBy: { token, leaseMs: Limits.commandLeaseMs }
  }
  if (!(yield* seed(project, files, actor, [carriesOn]))) return yield* new HasSource({ projectId })
  yield* beginLine(projectId)
  yield* finished({ commandId: id, token })
  return project
})

const finished = (lease: Lease) =>
  Effect.flatMap(Commands, (commands) => commands.finish(lease)).pipe(Effect.catchTag("LeaseLost", () => Effect.void))
