/** What a push becomes: a person's ChangeSet, by the same use case and rules as an edit over the API, or a refusal in words. */
import { type PackRefused, type Pushed, PushReceiver } from "@pawl/adapters-local/repositories/transport/PushReceiver"
import { user } from "@pawl/core/model/Actor"
import type { User } from "@pawl/core/model/Membership"
import type { ChangeSet } from "@pawl/core/model/ChangeSet"
import { changeSetsOf, type Edit, newestOf, record } from "@pawl/core/changeset/ChangeSets"
import { demand, find } from "@pawl/core/ledger/Decision"
import { generationKey } from "@pawl/core/model/Entities"
import type { Records } from "@pawl/core/ledger/Records"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { workspaceFork } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import type { Project } from "@pawl/core/model/Project"
import { refuseArchived } from "@pawl/core/project/ArchivedProject"
import { type FileEdits, RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import type { Generation, Head } from "@pawl/core/model/Generation"
import { ensureSynced } from "@pawl/core/project/SourceSync"
import { Data, Effect } from "effect"
import type { Problem } from "../api/Problem.ts"
import { refusing } from "../http/answer/HandlerAnswer.ts"
import type { Refusal } from "../http/answer/Refusal.ts"
import { changeOfRef, isTaskRef, mainRef, refOfChange } from "./RefNames.ts"
import type { GitBody } from "./GitBody.ts"
import { type PushRequest, zero } from "./PushRequest.ts"
import type { Outcome } from "./PushReport.ts"

/** The push was understood, and cannot be taken. */
export class PushRefused extends Data.TaggedError("PushRefused")<{
  readonly refused: string
  readonly says: ReadonlyArray<string>
}> {}

/** Refuses a push: a few words for its ref, and lines for who pushed. */
export const refuse = (refused: string, ...says: ReadonlyArray<string>) => new PushRefused({ refused, says })
const howTo = `Push one commit to a Change: git push origin HEAD:${refOfChange("<change id>")}`

/** The Change that the push is for, from nothing but the refs that it names. */
const changeAsked = ({ updates }: PushRequest): PushRefused | string => {
  const [update, ...more] = updates
  if (update === undefined || more.length > 0)
    return refuse("one ref in a push", "Several refs were pushed. None was taken.", howTo)
  if (update.ref === mainRef)
    return refuse(
      "canonical moves by promotion only",
      "main is what was verified and promoted. No push moves it.",
      howTo
    )
  const changeId = changeOfRef(update.ref)
  if (isTaskRef(update.ref))
    return refuse(
      "not with this token",
      "The ref of a Task is pushed to with the token that its claim answered.",
      "Claim it: POST /v1/tasks/<task id>/claim"
    )
  if (changeId === undefined)
    return refuse("not the ref of a Change", `${update.ref} is not the ref of a Change.`, howTo)
  if (update.to === zero)
    return refuse("a ChangeSet stays", "What was recorded is kept. Cancel the Change if it is not wanted any more.")
  return changeId
}

/** The newest generation in the history of what was pushed. Each generation's history holds those before it. */
const baseOf = Effect.fnUntraced(function* (pushed: Pushed, head: Head) {
  const held = Effect.fnUntraced(function* (generation: number) {
    const step = (yield* demand("generation", generationKey(head.projectId, generation))).record
    return (yield* pushed.holds(step.commit)) ? step : undefined
  })
  let best: Generation | undefined = yield* held(head.generation)
  let [low, high] = [0, best === undefined ? head.generation - 1 : -1]
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const step = yield* held(middle)
    if (step === undefined) high = middle - 1
    else {
      best = step
      low = middle + 1
    }
  }
  return best
})

/** What a pushed commit says of itself, as a ChangeSet keeps it. */
export const messageOf = ({ commit, message }: Pushed): string =>
  message
    .replaceAll("\0", "\ufffd")
    .trim()
    .slice(0, Limits.messageLength)
    .replace(/[\ud800-\udbff]$/, "") || `Push of ${commit.slice(0, 8)}`

interface Asked {
  readonly caller: User
  readonly project: Project
  readonly changeId: string
}

/** The edit that the push comes to, or the ChangeSet that has it already. */
const editOf = Effect.fnUntraced(function* ({ caller, changeId, project }: Asked, pushed: Pushed) {
  const ref = refOfChange(changeId)
  const head = (yield* demand("head", project.id)).record
  const newest = newestOf(yield* changeSetsOf(changeId), user(caller.id))
  if (newest !== undefined && newest.tree === pushed.tree) return { before: newest }
  const base = yield* baseOf(pushed, head)
  if (base === undefined)
    return yield* refuse(
      "not made on this Project's source",
      "What was pushed does not go back to any generation of this Project.",
      "Start from its source: git fetch origin && git rebase origin/main"
    )
  const edit = (files: FileEdits): Edit & { readonly files: FileEdits } => ({
    changeId,
    message: messageOf(pushed),
    files,
    newest: newest?.id ?? null
  })
  if (newest === undefined || base.generation > newest.baseGeneration) {
    const files = yield* pushed.editsFrom(base.tree, { project: project.id })
    return { edit: { ...edit(files), baseGeneration: base.generation }, alone: newest !== undefined }
  }
  const goesOn = base.generation === newest.baseGeneration && (yield* pushed.treesSince(base.commit)).has(newest.tree)
  if (!goesOn)
    return yield* refuse(
      "not made on your newest ChangeSet",
      `Your newest ChangeSet of this Change is ${newest.id}, and it is not in the history of what was pushed.`,
      `Put your work on it: git fetch origin ${ref} && git rebase FETCH_HEAD`,
      "Or keep your files as they are: git reset --soft FETCH_HEAD && git commit"
    )
  const at = { project: project.id, fork: workspaceFork(newest.runId) }
  return { edit: edit(yield* pushed.editsFrom(newest.tree, at)), alone: false }
})

const recorded = (changeSet: ChangeSet, before: boolean, alone: boolean): Outcome => {
  const asked = alone ? ` {"changeSetIds":["${changeSet.id}"]}` : ""
  return {
    refused: null,
    says: [
      before
        ? `This is ChangeSet ${changeSet.id} already. Nothing was recorded anew.`
        : `Recorded as ChangeSet ${changeSet.id}, on generation S${changeSet.baseGeneration}.`,
      ...(alone ? ["It was made on a newer generation than your ChangeSets before, and holds all of your work."] : []),
      `Ask for a Candidate: POST /v1/changes/${changeSet.changeId}/candidates${asked}`
    ]
  }
}

/** A repository that does not follow is the machine's matter, and mends itself. */
export const synced = (projectId: string) =>
  Effect.catchTags(ensureSynced(projectId), {
    NotFastForward: () => new RepositoriesUnavailable({ operation: "sync", reason: "main is elsewhere" }),
    ObjectNotFound: ({ what }) => new RepositoriesUnavailable({ operation: "sync", reason: `a ${what} is not there` })
  })

const receiving = Effect.fnUntraced(
  function* (asked: Asked, request: PushRequest) {
    const { changeId, project } = asked
    const change = yield* find("change", changeId)
    if (change === null || change.record.projectId !== project.id)
      return yield* new Unknown({ kind: "change", id: changeId })
    yield* refuseArchived(project.id)
    yield* synced(project.id)
    const receiver = yield* PushReceiver
    const services = yield* Effect.context<Records>()
    const commit = request.updates[0]?.to ?? zero
    const found = yield* receiver.receive({ project: project.id, commit, pack: request.pack }, (pushed) =>
      Effect.provide(editOf(asked, pushed), services)
    )
    if ("before" in found) return recorded(found.before, true, false)
    if (Object.keys(found.edit.files).length === 0)
      return yield* refuse("nothing changed", "Every file is already what was pushed. There is nothing to record.")
    return recorded(yield* record(user(asked.caller.id), found.edit), false, found.alone)
  },
  // Another push of the same person was recorded meanwhile: what this one is to be put on is looked up anew.
  Effect.retry({ times: 3, while: (error) => error._tag === "InvalidField" && error.code === "not_newest" })
)

type Refused = PushRefused | PackRefused | Refusal

const hints: Readonly<Record<string, string>> = {
  changeset_limit: "POST /v1/projects/<project id>/changes opens another Change.",
  change_closed: "POST /v1/projects/<project id>/changes opens another Change.",
  invalid_path: "Take it out of what you push, commit, and push again. Only plain files and directories are kept."
}

/** What a refusal says to whoever pushed. What is not the pusher's fault is logged. */
export const outcomeOf = (error: Refused): Effect.Effect<Outcome> => {
  if (error._tag === "PushRefused") return Effect.succeed({ refused: error.refused, says: error.says })
  if (error._tag === "PackRefused")
    return Effect.succeed({
      refused: "the pack was not taken",
      says: [`What was pushed was not taken: ${error.reason}.`]
    })
  const told = ({ code, detail }: Problem): Outcome => {
    const hint = hints[code]
    return { refused: code, says: hint === undefined ? [detail] : [detail, hint] }
  }
  return Effect.catch(refusing(Effect.fail(error)), (problem) => Effect.succeed(told(problem)))
}

/** Takes a push of a caller who may write here. It always ends in words. */
export const push = Effect.fnUntraced(
  function* (
    caller: User,
    project: Project,
    request: PushRequest,
    { cut, maxBytes }: Pick<GitBody, "cut" | "maxBytes">
  ) {
    const changeId = changeAsked(request)
    if (typeof changeId !== "string") return yield* changeId
    if (cut)
      return yield* refuse(
        "too large",
        `The push has more than ${maxBytes} bytes, which is the most. Push less at a time.`
      )
    return yield* receiving({ caller, project, changeId }, request)
  },
  Effect.catch(outcomeOf),
  Effect.withSpan("Git.push")
)
