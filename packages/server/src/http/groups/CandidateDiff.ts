/** What changes between two commits, in the form that the caller accepts. */
import { Effect, Schema, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { entityTag } from "@pawl/core/primitives/Conditional"
import { Unknown } from "@pawl/core/ledger/Refusals"
import type { FileChange } from "@pawl/core/model/ChangeSet"
import { pathProblem } from "@pawl/core/project/Paths"
import {
  InvalidPath,
  ObjectNotFound,
  Repositories,
  type RepositoriesUnavailable,
  type RepositoryRef,
  TreeTooLarge
} from "@pawl/core/project/Repositories"
import { packageChanges } from "@pawl/core/verification/PackageLook"
import { CurrentUser } from "../../api/Authentication.ts"
import { ServerLimits } from "../../ServerLimits.ts"
import { ApiSettings } from "../ApiSettings.ts"
import { withTag } from "../answer/Validators.ts"
import { prefers } from "../request/AcceptHeader.ts"
import { DiffPieces } from "./DiffPieces.ts"
import { DiffSlots, streamed } from "./DiffSlots.ts"
import { Exchange } from "../request/Exchange.ts"
import { asText } from "../answer/JsonPieces.ts"

/** The Candidate has no commit yet. */
export class NotComposed extends Schema.TaggedError<NotComposed>()("NotComposed", {
  candidateId: Schema.String,
  status: Schema.String
}) {
  override get message() {
    return `${this.candidateId} is ${this.status} and has no commit. Ask again when it is verifying.`
  }
}

/** The diff has more bytes than are answered at once. */
export class DiffTooLarge extends Schema.TaggedError<DiffTooLarge>()("DiffTooLarge", { max: Schema.Finite }) {
  override get message() {
    return `The diff is larger than can be answered (${this.max}). Ask for one file of it with \`path\`, or compare the trees with /code.`
  }
}

interface Compared {
  readonly project: string
  /** Without one: in canonical. */
  readonly fork?: string
  readonly from: string
  readonly to: string
  /** Only what changed at this path, and below it. */
  readonly within?: string | undefined
  /** What was asked for, when its commits are kept nowhere any more. */
  readonly asked: { readonly kind: string; readonly id: string }
}

/** The fork may be swept after its time; what was promoted is in canonical too. */
const somewhere = <A, E, R>(
  { asked, fork, project }: Compared,
  read: (ref: RepositoryRef) => Effect.Effect<A, E | ObjectNotFound, R>
) =>
  read(fork === undefined ? { project } : { project, fork }).pipe(
    Effect.catchIf(
      (error): error is ObjectNotFound & (E | ObjectNotFound) => error instanceof ObjectNotFound,
      () => read({ project })
    ),
    Effect.catchIf(
      (error): error is ObjectNotFound & (E | ObjectNotFound) => error instanceof ObjectNotFound,
      () => new Unknown({ kind: `${asked.kind}-diff`, id: asked.id })
    )
  )

/** `beside` stands behind the files. */
const asFiles = (
  text: Stream.Stream<Uint8Array, RepositoriesUnavailable>,
  changes: ReadonlyArray<FileChange>,
  beside: object
) =>
  Stream.suspend(() => {
    const pieces = new DiffPieces(changes)
    const rest = Object.entries(beside).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    return Stream.make('{"files":[').pipe(
      Stream.concat(Stream.map(asText(text), (piece) => pieces.feed(piece))),
      Stream.concat(Stream.suspend(() => Stream.make(`${pieces.end()}]${rest.join("")}}`)))
    )
  })

/**
 * The diff as JSON with what `beside` says of the paths that differ, or with `Accept: text/plain` in git's unified form. A
 * long one is made while it is read. Fails with `DiffTooLarge`, with `InvalidPath`, and with `Unknown` where neither the fork nor the Project
 * has the commits.
 */
const answered = Effect.fnUntraced(
  function* <A extends object, E, R>(
    compared: Compared,
    beside: (changes: ReadonlyArray<FileChange>) => Effect.Effect<A, E, R>
  ) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const repositories = yield* Repositories
    const slots = yield* DiffSlots
    const exchange = yield* Exchange
    const { from, to, within } = compared
    const reason = within === undefined ? undefined : pathProblem(within)
    if (within !== undefined && reason !== undefined) return yield* new InvalidPath({ path: within, reason })
    const { user } = yield* CurrentUser
    const inSlot = slots.withSlot(user.id)
    const text = yield* inSlot(somewhere(compared, (ref) => repositories.diffText(ref, from, to, within)))
    const isText = prefers(request.headers["accept"], "text/plain", "application/json")
    // Commits never change. A newer version may tell them in another way.
    const { version } = yield* ApiSettings
    yield* withTag(entityTag(version, exchange.path, from, to, within ?? "", isText ? "text" : "json"))
    const isLong = text.sizeBytes > ServerLimits.answerWholeBytes
    if (isLong) exchange.isAwaited(() => slots.waiting() > 0)
    const pieces = isLong ? streamed(slots, user.id, text.pieces) : text.pieces
    if (isText)
      return HttpServerResponse.stream(pieces, {
        contentType: "text/plain; charset=utf-8",
        contentLength: text.sizeBytes
      })
    if (!isLong) {
      const files = yield* inSlot(somewhere(compared, (ref) => repositories.diff(ref, from, to, within)))
      return { files, ...(yield* beside(files)) }
    }
    const changes = yield* inSlot(text.changes)
    const rest = yield* beside(changes)
    return HttpServerResponse.stream(Stream.encodeText(asFiles(pieces, changes, rest)), {
      contentType: "application/json"
    })
  },
  Effect.catchIf(
    (error) => error instanceof TreeTooLarge,
    ({ max }) => new DiffTooLarge({ max })
  )
)

/** The diff of two commits, in the form that the caller accepts. Fails with `DiffTooLarge`, `InvalidPath` or `Unknown`. */
export const diffAnswer = (compared: Compared) => answered(compared, () => Effect.succeed({}))

/** The same with the packages that lock files add, remove or move. `trees` are those of its commits. */
export const candidateDiff = (compared: Compared, trees: { readonly base: string; readonly tree: string }) =>
  answered(compared, (changes) =>
    Effect.map(
      somewhere(compared, (ref) => packageChanges(ref, { ...trees, paths: changes.map(({ path }) => path) })),
      (packages) => ({ packages })
    )
  )
