/** Members of Projects. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { list, replace, tagOfList } from "@pawl/core/access/Members"
import { find } from "@pawl/core/ledger/Decision"
import { PawlApi } from "../../api/PawlApi.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { ifMatch, withTag } from "../answer/Validators.ts"
import { onProject } from "../request/Reach.ts"

/** Rows of members with the users' names, as one page. */
export const named = <Row extends { readonly userId: string }>(rows: ReadonlyArray<Row>) =>
  Effect.map(
    Effect.forEach(rows, (row) =>
      Effect.map(find("user", row.userId), (user) => ({ ...row, name: user?.record.name ?? "" }))
    ),
    (items) => ({ items, nextCursor: null })
  )

/** Handlers of `members`: a list is put as a whole. */
export const MembersHttp = HttpApiBuilder.group(PawlApi, "members", (handlers) =>
  handlers
    .handle("get", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          const rows = (yield* list(project.id)).map((each) => each.record)
          yield* withTag(tagOfList(rows))
          return yield* named(rows)
        })
      )
    )
    .handle("put", ({ params, payload }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          const rows = yield* replace(project.id, payload.members, yield* ifMatch)
          yield* withTag(tagOfList(rows))
          return yield* named(rows)
        })
      )
    )
)
