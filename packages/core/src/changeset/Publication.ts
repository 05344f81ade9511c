/** Making a ChangeSet: the commit in the run's own fork, and the record of it. Agents and people go through here alike. */
import { Effect, Schema } from "effect"
import type { Actor } from "../model/Actor.ts"
import * as Draft from "../ledger/Draft.ts"
import { changeSetId } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import type * as Time from "../primitives/Time.ts"
import { type FileEdits, Repositories, type RepositoryRef, type Signature } from "../project/Repositories.ts"
import type { Task, TaskRun } from "../model/Task.ts"
import type { ChangeSet, Intent } from "../model/ChangeSet.ts"
import { Listing, listingOf } from "./Listing.ts"

/** Ids stand for authors in commits; names and addresses are not spread through history. */
export const signatureOf = (actor: Actor, atMs: number): Signature => ({
  name: actor.id,
  email: `${actor.id.replace(":", ".")}@pawl.invalid`,
  atMs
})

/** What was made in the repository: the step that is journalled. */
export const Made = Schema.Struct({ commit: Schema.String, tree: Schema.String, listing: Listing })
export interface Made extends Schema.Schema.Type<typeof Made> {}

/**
 * Commits edits on a base in a fork, and lists what they changed. Repeating it with the same signature gives the same
 * commit. A base that is not there is a defect: whoever names one has read it.
 */
export const commitEdits = Effect.fnUntraced(
  function* (options: {
    readonly into: RepositoryRef & { readonly fork: string }
    readonly base: string
    readonly from: ReadonlyArray<RepositoryRef>
    readonly edits: FileEdits
    readonly declared: ReadonlyArray<Intent>
    readonly message: string
    readonly signature: Signature
  }) {
    const repositories = yield* Repositories
    const { commit, tree } = yield* repositories.commit(options)
    const diff = yield* repositories.diff(options.into, options.base, commit)
    const files = diff.map(({ path, status, additions, deletions }) => ({ path, status, additions, deletions }))
    const listing = yield* listingOf(options.into.project, files, options.declared)
    return { commit, tree, listing } satisfies Made
  },
  Effect.catchTag("ObjectNotFound", Effect.die)
)

/** The record of what was made, pure. */
export const changeSetOf = (options: {
  readonly task: Task
  readonly run: TaskRun
  readonly author: Actor
  readonly base: { readonly generation: number; readonly commit: string }
  readonly made: Made
  readonly message: string
  readonly now: Time.Timestamp
}): ChangeSet => {
  const { base, made, run, task } = options
  return {
    id: changeSetId(run.id),
    projectId: task.projectId,
    changeId: task.changeId,
    taskId: task.id,
    runId: run.id,
    author: options.author,
    baseGeneration: base.generation,
    baseCommit: base.commit,
    commit: made.commit,
    tree: made.tree,
    ...made.listing,
    message: options.message,
    createdAt: options.now
  }
}

/** What is told of a completed Task and its ChangeSet (none: it changed nothing). */
export const publication = (
  { changeId, id: taskId }: Task,
  changeSet: ChangeSet | null,
  also: { readonly intentsDeclared: boolean; readonly findings?: string }
): Draft.EventsOf<"task", "published"> => {
  const completed = {
    "task.completed": {
      changeId,
      changeSetId: changeSet?.id ?? null,
      ...(also.findings === undefined ? {} : { findings: also.findings })
    }
  }
  if (changeSet === null) return completed
  const { commit, cut, id, intents, tree } = changeSet
  const declared = {
    changeId,
    taskId,
    intents: intents.slice(0, Limits.intentsPerEvent),
    count: cut?.intentsTotal ?? intents.length
  }
  return {
    "changeset.proposed": Draft.about(id, { changeId, commit, tree }),
    "intent.declared": also.intentsDeclared ? Draft.about(id, declared) : undefined,
    ...completed
  }
}
