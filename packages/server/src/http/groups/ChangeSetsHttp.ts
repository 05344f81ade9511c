/** ChangeSets. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type Edit, record } from "@pawl/core/changeset/ChangeSets"
import type { ChangeSet } from "@pawl/core/model/ChangeSet"
import { wholeChangeSet } from "@pawl/core/changeset/Listing"
import { workspaceFork } from "@pawl/core/primitives/Ids"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { diffAnswer } from "./CandidateDiff.ts"
import { listed } from "../answer/RecordPages.ts"
import { taggedWhole } from "../answer/Validators.ts"
import { actor, onChange, onChangeSet } from "../request/Reach.ts"

/** With all that it lists; a list that is not kept any more is answered cut, as the record has it. */
const answer = (changeSet: ChangeSet) =>
  Effect.map(
    Effect.catchTag(wholeChangeSet(changeSet), "ObjectMissing", () => Effect.succeed(changeSet)),
    (changeset) => ({ changeset })
  )

/** Handlers of `changesets`: recorded, listed, and shown as a diff. */
export const ChangeSetsHttp = HttpApiBuilder.group(PawlApi, "changesets", (handlers) =>
  handlers
    .handle("create", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const change = yield* onChange(params.id)
          const { message, files, patch, baseGeneration, taskId } = payload
          const edit: Edit = {
            changeId: change.id,
            message,
            files,
            patch,
            ...(taskId === undefined ? {} : { taskId }),
            ...(baseGeneration === undefined ? {} : { baseGeneration })
          }
          return yield* answer(yield* record(yield* actor, edit))
        })
      )
    )
    .handle("list", ({ params, query }) =>
      answering(
        Effect.flatMap(onChange(params.id), (change) =>
          listed("changeSet", { projectId: change.projectId, where: { changeId: change.id }, ...query })
        )
      )
    )
    .handle("get", ({ params }) =>
      answering(Effect.flatMap(Effect.flatMap(onChangeSet(params.id), answer), taggedWhole))
    )
    .handle("diff", ({ params, query }) =>
      answering(
        Effect.flatMap(onChangeSet(params.id), (changeSet) =>
          diffAnswer({
            project: changeSet.projectId,
            fork: workspaceFork(changeSet.runId),
            from: changeSet.baseCommit,
            to: changeSet.commit,
            within: query.path,
            asked: { kind: "changeset", id: changeSet.id }
          })
        )
      )
    )
)
