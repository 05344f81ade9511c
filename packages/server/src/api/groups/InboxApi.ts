/** What waits for the caller, and news of all that the caller may see. */
import { Limits } from "@pawl/core/primitives/Limits"
import { inboxKinds } from "@pawl/core/why/Inbox"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authenticated } from "../Authentication.ts"
import { Int } from "../DocumentSchemas.ts"
import { about, readingOwn } from "../Needs.ts"
import { queryNumber } from "../PageParams.ts"
import { streamed } from "../StreamedPage.ts"

const InboxItem = Schema.Struct({
  kind: Schema.Literals(inboxKinds),
  projectId: Schema.String,
  /** The Project's host label. */
  label: Schema.String,
  /** Of what waits: a Change, a release or a dead letter. */
  id: Schema.String,
  changeId: Schema.NullOr(Schema.String),
  candidateId: Schema.NullOr(Schema.String),
  status: Schema.String,
  /** The goal of the Change, or what was to be done. */
  title: Schema.String,
  reason: Schema.NullOr(Schema.String),
  at: Schema.String
}).annotate({ identifier: "InboxItem" })

const StateChange = Schema.Struct({
  /** Milliseconds since 1970 by the store's clock. Several may have the same. */
  sequence: Int,
  projectId: Schema.String,
  /** As in the history; `project` for one that came, went, or moved by much. */
  kind: Schema.String,
  id: Schema.String,
  to: Schema.String,
  changeId: Schema.NullOr(Schema.String)
}).annotate({ identifier: "StateChange" })

/** Over all Projects that the caller may see. */
export const InboxApi = HttpApiGroup.make("inbox")
  .add(
    HttpApiEndpoint.get("inbox", "/v1/inbox", {
      success: Schema.Struct({
        items: Schema.Array(InboxItem),
        /** Whether more may wait: there are Projects, or Changes or dead letters of one, that were not looked at. */
        isPart: Schema.Boolean
      })
    }).annotateMerge(
      about(
        readingOwn,
        "What waits for the caller, the most urgent first",
        `Approvals that the caller may give and has not, Changes without budget, Candidates that cannot be promoted, the newest release where it or its smoke test failed, dead letters for admins, and Changes that failed in the last 7 days. \`isPart\` says that more may wait: at most ${Limits.inboxProjects} Projects are looked through, and of each the newest ${Limits.inboxChanges} Changes that wait for an approval or a budget, as many that are verified, as many that failed, and ${Limits.inboxLetters} dead letters.`
      )
    )
  )
  .add(
    HttpApiEndpoint.get("changesOfState", "/v1/changes-of-state", {
      query: Schema.Struct({ after: Schema.optionalKey(queryNumber(0, Number.MAX_SAFE_INTEGER)) }),
      success: Schema.Struct({
        items: Schema.Array(StateChange),
        /** Where to go on from: the next question's `after`. */
        after: Int
      }).annotate({ identifier: "StateChangePage" })
    })
      .annotateMerge(
        about(
          readingOwn,
          "News of all Projects that the caller may see",
          "Each item says that something moved; read it again to know what it is now. Checks too, as in the history of a Change. With `Accept: text/event-stream` the answer stays open and tells each as it comes: `id:` is the sequence, and `after`, or the header `Last-Event-ID`, takes a stream up again there. A frame may come twice then. Without it the answer is what moved since `after`, nothing where that is left out. One of the kind `project` says that a Project `appeared`, is `gone`, or has `moved` by more than is told one by one."
        )
      )
      .annotate(OpenApi.Transform, streamed("StateChangePage", "change"))
  )
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "What waits, and news")
