/** Members of Projects. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { list, replace, tagOfList } from "@pawl/core/access/Members"
import { find } from "@pawl/core/ledger/Decision"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { ifMatch, withTag } from "../answer/Validators.ts"
import { onProject } from "../request/Reach.ts"

/** Rows of members with the users' names, as one page with its entity tag. */
export const pageOfMembers = <Row extends { readonly userId: string; readonly role: string }>(
  rows: ReadonlyArray<Row>
) =>
  Effect.andThen(
    withTag(tagOfList(rows)),
    Effect.map(
      Effect.forEach(rows, (row) =>
        Effect.map(find("user", row.userId), (user) => ({ ...row, name: user?.record.name ?? "" }))
      ),
      (items) => ({ items, nextCursor: null })
    )
  )

/** Handlers of `members`: a list is put as a whole. */
export const MembersHttp = HttpApiBuilder.group(PawlApi, "members", (handlers) =>
  handlers
    .handle("get", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          return yield* pageOfMembers((yield* list(project.id)).map((each) => each.record))
        })
      )
    )
    .handle("put", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          return yield* pageOfMembers(yield* replace(project.id, payload.members, yield* ifMatch))
        })
      )
    )
)
