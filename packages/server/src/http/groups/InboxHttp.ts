/** What waits for the caller, and news of all that the caller may see. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { inboxOf } from "@pawl/core/why/Inbox"
import { CurrentUser } from "../../api/Authentication.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { prefers } from "../request/AcceptHeader.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { sequence } from "../answer/Sequences.ts"
import { stateSince, stateStream } from "../answer/StateStream.ts"

/** Handlers of `inbox`. */
export const InboxHttp = HttpApiBuilder.group(PawlApi, "inbox", (handlers) =>
  handlers
    .handle("inbox", () => answering(Effect.flatMap(CurrentUser, ({ user }) => inboxOf(user.id))))
    .handle("changesOfState", ({ query, request }) =>
      answering(
        Effect.gen(function* () {
          if (!prefers(request.headers["accept"], "text/event-stream", "application/json"))
            return yield* stateSince(query.after ?? null)
          const last = request.headers["last-event-id"]
          // What the stream had last wins over what its address says.
          const after = last === undefined || last === "" ? query.after : yield* sequence("Last-Event-ID", last)
          return yield* stateStream(after ?? null)
        })
      )
    )
)
