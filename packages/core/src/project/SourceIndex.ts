/** The file index of a canonical tree, in the object store. File contents stay with the repository. */
import { Effect } from "effect"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { utf8 } from "../primitives/Digest.ts"
import { type CommitRef, Repositories } from "./Repositories.ts"

/** The key of a tree's index. The same tree has the same index, whatever commit it is of. */
export const sourceIndexKey = (projectId: string, tree: string): string => `source/${projectId}/${tree}/index.json`

/** Writes `source/<project>/<tree>/index.json` for a commit that canonical holds. */
export const writeSourceIndex = Effect.fnUntraced(function* (projectId: string, at: CommitRef) {
  const entries = yield* Effect.flatMap(Repositories, (repositories) =>
    repositories.list({ project: projectId }, at.tree)
  )
  const index = {
    version: 1,
    commit: at.commit,
    tree: at.tree,
    entries: entries.map(({ path, type, id, size }) => ({ path, type, id, size }))
  }
  yield* Effect.flatMap(ObjectStore, (objects) =>
    objects.put(sourceIndexKey(projectId, at.tree), utf8(JSON.stringify(index)))
  ).pipe(Effect.catchTag("InvalidKey", Effect.die))
})
