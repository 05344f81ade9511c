/**
 * Bundles that were stored for an app that is gone: removed, or archived with its Project, while the build ran. Who
 * cleans an app away deletes what is there; whoever stores a bundle asks here afterwards, so that one of the two sees it.
 */
import { Effect } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { pointerKey } from "../model/Entities.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import * as Time from "../primitives/Time.ts"
import { bundleKinds } from "./Bundle.ts"
import { commandId, type NewCommand } from "../model/Command.ts"

/** The command that cleans a removed app away. One at a time: sent while a worker cleans, it runs once more after that. */
export const appCleanup = (projectId: string): NewCommand => ({
  kind: "app.remove",
  id: commandId("app.remove", projectId),
  payload: { projectId }
})

/** After a bundle was stored for a Project. Nothing happens while its app is there, or it never had one. */
export const clearStrays = (projectId: string) =>
  Effect.gen(function* () {
    const project = yield* find("project", projectId)
    if (project?.record.status !== "archived") return yield* decideAndCommit(recordingLeftovers(projectId))
    // Nothing of an archived Project is ever served again.
    const objects = yield* ObjectStore
    for (const kind of bundleKinds)
      yield* objects.removePrefix(`${kind}/${projectId}/`).pipe(Effect.catchTag("InvalidKey", Effect.die))
  }).pipe(Effect.withSpan("Strays.clear", { attributes: { projectId } }))

/**
 * A removed app has leftovers again, and is cleaned away again; a deploy waits for that. It counts as one more app: a
 * cleaning that is under way began with the app before it, and does not take this one for clean. No lease is asked for:
 * what was stored is there, whoever stored it.
 */
export const recordingLeftovers = Effect.fnUntraced(function* (projectId: string) {
  const pointer = yield* find("pointer", pointerKey(projectId, "production"))
  if (pointer?.record.status !== "removed") return { answer: undefined }
  const again = { incarnation: pointer.record.incarnation + 1, leftovers: true, updatedAt: yield* Time.now }
  const writes = [Commit.update("pointer", pointer, again)]
  return {
    answer: undefined,
    commit: { name: "Strays.leftAgain", projectId, writes, commands: [appCleanup(projectId)] }
  }
})
