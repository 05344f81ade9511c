/** What happened to a Change, and in a Project: pages of JSON, or a stream. */
import { Effect } from "effect"
import type { Headers } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { History, type HistoryListing, type HistoryPage } from "@pawl/core/ledger/History"
import { InvalidField } from "@pawl/core/ledger/Refusals"
import { PawlApi } from "../../api/PawlApi.ts"
import { prefers } from "../request/AcceptHeader.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { historyStream } from "../answer/HistoryStream.ts"
import { onChange, onProject } from "../request/Reach.ts"
import { placeOf } from "../answer/Sequences.ts"

/** As `Accept` asks: a page, or the same steps as events without end. */
const told = Effect.fnUntraced(function* <E>(
  projectId: string,
  listing: HistoryListing,
  headers: Headers.Headers,
  read: (listing: HistoryListing) => Effect.Effect<HistoryPage, E>
) {
  if (!prefers(headers["accept"], "text/event-stream", "application/json")) return yield* read(listing)
  if (listing.order === "newest")
    return yield* new InvalidField({
      code: "invalid_field",
      field: "order",
      reason: "a stream tells what came first first: leave it out, or ask for a page"
    })
  return yield* historyStream(projectId, (yield* placeOf(listing, headers["last-event-id"])) ?? 0, read)
})

/** Handlers of `history`: changed statuses, with who changed them and why. */
export const HistoryHttp = HttpApiBuilder.group(PawlApi, "history", (handlers) =>
  handlers
    .handle("ofChange", ({ params, query, request }) =>
      answering(
        Effect.gen(function* () {
          const { id, projectId } = yield* onChange(params.id)
          const history = yield* History
          return yield* told(projectId, query, request.headers, (listing) => history.ofChange(id, listing))
        })
      )
    )
    .handle("ofProject", ({ params, query, request }) =>
      answering(
        Effect.gen(function* () {
          const { id } = yield* onProject(params.id)
          const history = yield* History
          return yield* told(id, query, request.headers, (listing) => history.ofProject(id, listing))
        })
      )
    )
)
