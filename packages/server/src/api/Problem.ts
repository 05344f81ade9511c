/** How every error is answered: `application/problem+json` (RFC 9457), in one shape for all endpoints. */
import { Data, Schema, SchemaTransformation } from "effect"
import { ProblemDetails } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { Int } from "./DocumentSchemas.ts"

const ProblemBody = Schema.StructWithRest(
  Schema.Struct({
    /** `urn:pawl:problem:<code>`. */
    type: Schema.String,
    /** Short, and the same for every problem of this code. */
    title: Schema.String,
    status: Int,
    /** The word for programs, such as `stale`, `blocked` or `invalid_field`. */
    code: Schema.String,
    /** What is wrong, where, and what to do. */
    detail: Schema.String,
    /** Also in the header `X-Request-Id`; the server's log has it too. */
    requestId: Schema.String
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
).annotate({
  identifier: "Problem",
  description:
    "What is wrong, where, and what to do. Facts of the problem stand beside these fields, such as `field` or `blocks`."
})

/** A problem as the client gets it. `facts` are the fields beside the six that every problem has. */
export class Problem extends Data.TaggedError("Problem")<{
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly requestId: string
  readonly facts: Readonly<Record<string, unknown>>
}> {
  override get message() {
    return `${this.code}: ${this.detail}`
  }
}

const decode = ({ type: _type, status, code, title, detail, requestId, ...facts }: typeof ProblemBody.Type) =>
  new Problem({ status, code, title, detail, requestId, facts })

/** The body of a problem: its own six fields, then its facts, which cannot overwrite them. */
export const bodyOf = (problem: Problem): typeof ProblemBody.Type => {
  const { status, code, title, detail, requestId, facts } = problem
  const own = { type: `urn:pawl:problem:${code}`, title, status, code, detail, requestId }
  return { ...own, ...facts, ...own }
}

/** The statuses that a problem can have, each with what it is for. */
export const problemStatuses = {
  400: "Something in the request cannot be used; `field` names it",
  401: "No credentials, or none that count",
  403: "The role or the token may not do this",
  404: "There is no such thing, or not one the caller may see",
  405: "The path has no such method; `Allow` names those it has",
  409: "The request cannot be done in this state",
  410: "It was there and is gone",
  412: "It is not what `If-Match` says any more",
  413: "The body is too large",
  415: "The body is not JSON",
  422: "Too much to answer",
  429: "Too many requests; `Retry-After` says when to come back",
  500: "The server made a mistake; `requestId` finds it in the log",
  503: "Something that the server needs is away; try again"
} as const
/** The statuses that a problem can have. */
export type ProblemStatus = keyof typeof problemStatuses

/** The schema of a problem with this status. */
export const problem = (status: ProblemStatus) =>
  ProblemBody.pipe(
    Schema.decodeTo(
      // Of all problems that an endpoint may answer with, it is the one with its own status.
      Schema.instanceOf(Problem).check(Schema.makeFilter((each) => each.status === status)),
      SchemaTransformation.transform({ decode, encode: bodyOf })
    ),
    HttpApiSchema.status(status),
    HttpApiSchema.asJson({ contentType: ProblemDetails.contentType })
  ).annotate({ description: problemStatuses[status] })
