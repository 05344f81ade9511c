/** What the agent of a claimed Task pushes: kept in the run's fork until the run is published. */
import { type Pushed, PushReceiver } from "@pawl/adapters-local/repositories/transport/PushReceiver"
import { find } from "@pawl/core/ledger/Decision"
import { user } from "@pawl/core/model/Actor"
import type { OutsideWork, TaskRun } from "@pawl/core/model/Task"
import { workspaceFork } from "@pawl/core/primitives/Ids"
import { refuseArchived } from "@pawl/core/project/ArchivedProject"
import { Repositories } from "@pawl/core/project/Repositories"
import { RunNotHeld } from "@pawl/core/task/OutsideLeases"
import { receive, refOfTask } from "@pawl/core/task/OutsideRuns"
import { Effect } from "effect"
import type { GitBody } from "./GitBody.ts"
import { type PushRequest, zero } from "./PushRequest.ts"
import { messageOf, outcomeOf, refuse, synced } from "./Pushes.ts"

/** Whether what was pushed goes on from what the work was to begin with; canonical, where that is what it begins with. */
const goesOn = (pushed: Pushed, run: TaskRun, base: string, tree: string) =>
  base === run.baseCommit
    ? pushed.holds(base)
    : Effect.map(pushed.treesSince(run.baseCommit), (trees) => trees.has(tree))

const workOf = Effect.fnUntraced(function* (run: TaskRun, { base }: OutsideWork, baseTree: string, pushed: Pushed) {
  const ref = refOfTask(run.taskId)
  if (!(yield* goesOn(pushed, run, base, baseTree)))
    return yield* refuse(
      "not made on what the Task begins with",
      "What was pushed does not go on from the base of this Task.",
      `Put your work on it: git fetch origin ${ref}/base && git rebase FETCH_HEAD`
    )
  const at = { project: run.projectId, fork: workspaceFork(run.id) }
  return { edits: yield* pushed.editsFrom(baseTree, at), message: messageOf(pushed) }
})

const receiving = Effect.fnUntraced(function* (run: TaskRun, outside: OutsideWork, request: PushRequest) {
  const { projectId: project } = run
  yield* refuseArchived(project)
  yield* synced(project)
  const at = { project, fork: workspaceFork(run.id) }
  const baseTree = (yield* (yield* Repositories).resolve(at, outside.base)).tree
  const commit = request.updates[0]?.to ?? zero
  const receiver = yield* PushReceiver
  const work = yield* receiver.receive({ project, commit, pack: request.pack }, (pushed) =>
    workOf(run, outside, baseTree, pushed)
  )
  yield* receive(user(outside.claimedBy), run.id, work)
  const count = Object.keys(work.edits).length
  return {
    refused: null,
    says: [
      `Taken: ${count} ${count === 1 ? "file differs" : "files differ"} from what the Task began with.`,
      `It is a ChangeSet once the run is published: POST /v1/runs/${run.id}/publish`
    ]
  }
})

/** Takes a push of who works a run outside. It always ends in words. */
export const pushOfTask = Effect.fnUntraced(
  function* (known: TaskRun, request: PushRequest, { cut, maxBytes }: Pick<GitBody, "cut" | "maxBytes">) {
    // What was pushed before may have moved the record on.
    const run = (yield* find("taskRun", known.id))?.record ?? known
    const ref = refOfTask(run.taskId)
    const [update, ...more] = request.updates
    if (update === undefined || more.length > 0 || update.ref !== ref || update.to === zero)
      return yield* refuse("not the ref of the Task", `This token pushes to ${ref} alone: git push origin HEAD:${ref}`)
    if (cut)
      return yield* refuse(
        "too large",
        `The push has more than ${maxBytes} bytes, which is the most. Push less at a time.`
      )
    if (run.outside === undefined) return yield* new RunNotHeld({ runId: run.id, reason: "no agent outside works it" })
    return yield* receiving(run, run.outside, request)
  },
  Effect.catch(outcomeOf),
  Effect.withSpan("Git.pushOfTask")
)
