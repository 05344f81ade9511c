/**
 * Leads from an id in a path to its record, for a caller whose role on the record's Project covers what the endpoint
 * needs. For anyone without a role there it does not exist.
 */
import { requireRole } from "@pawl/core/access/Access"
import { user } from "@pawl/core/model/Actor"
import { requireKeeper } from "@pawl/core/access/Keepers"
import type { OrganizationMember, User } from "@pawl/core/model/Membership"
import { requirePlace } from "@pawl/core/access/Organizations"
import type { DeadLetter } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"
import { organizationOf } from "@pawl/core/worker/DirectoryLetters"
import { demand } from "@pawl/core/ledger/Decision"
import type { RecordOf } from "@pawl/core/model/Entities"
import { Unknown } from "@pawl/core/ledger/Refusals"
import { Effect } from "effect"
import { CurrentUser } from "../../api/Authentication.ts"
import { Exchange } from "./Exchange.ts"

/** What the id of a path may lead to. */
export interface Reachable {
  readonly project: RecordOf<"project">
  readonly change: RecordOf<"change">
  readonly task: RecordOf<"task">
  readonly run: RecordOf<"taskRun">
  readonly changeSet: RecordOf<"changeSet">
  readonly candidate: RecordOf<"candidate">
  readonly evidence: RecordOf<"evidence">
  readonly laneEntry: RecordOf<"laneEntry">
  readonly release: RecordOf<"release">
  readonly webhook: RecordOf<"webhook">
  readonly webhookDelivery: RecordOf<"webhookDelivery">
  readonly deadLetter: DeadLetter
  /** The caller's own place in it. */
  readonly organization: OrganizationMember
  readonly user: User
}

/** Who acts: from the session, never from a body. */
export const actor = Effect.map(CurrentUser, (caller) => user(caller.user.id))

const needed = Effect.map(Exchange, ({ need }) => need.role ?? ("admin" as const))

/** Fails with `Unknown` of what was asked for unless the caller may see its Project. */
const allowed = Effect.fnUntraced(function* (
  projectId: string,
  asked?: { readonly kind: string; readonly id: string }
) {
  const caller = yield* CurrentUser
  return yield* requireRole(caller.user.id, projectId, yield* needed, asked)
})

/** Goes the way once in a request: what `judge` found for the id of the path is what the handler gets. */
const once = <K extends keyof Reachable, E, R>(kind: K, way: (id: string) => Effect.Effect<Reachable[K], E, R>) =>
  Effect.fnUntraced(function* (id: string) {
    const exchange = yield* Exchange
    const known: Reachable[K] | undefined = exchange.id === id ? exchange.reached[kind] : undefined
    if (known !== undefined) return known
    const found = yield* way(id)
    if (exchange.id === id) exchange.reached = { ...exchange.reached, [kind]: found }
    return found
  })

/** The record, for a caller who may see the Project that it belongs to. */
const within = Effect.fnUntraced(function* <A extends { readonly projectId: string }, E, R>(
  asked: { readonly kind: string; readonly id: string },
  reading: Effect.Effect<{ readonly record: A }, E, R>
) {
  const { record } = yield* reading
  yield* allowed(record.projectId, asked)
  return record
})

/**
 * The Project of an id. Fails with `Unknown` where the caller has no role there, and with `InsufficientRole` where it
 * is too low.
 */
export const onProject = once("project", (id) => allowed(id))
/** The Change of an id; fails as `onProject` does. */
export const onChange = once("change", (id) => within({ kind: "change", id }, demand("change", id)))
/** The Task of an id; fails as `onProject` does. */
export const onTask = once("task", (id) => within({ kind: "task", id }, demand("task", id)))

/** The run of a Task of an id; fails as `onProject` does, with the kind `run`. */
export const onRun = once("run", (id) => {
  const asked = { kind: "run", id }
  return within(asked, demand("taskRun", id).pipe(Effect.catchTag("Unknown", () => new Unknown(asked))))
})
/** The Candidate of an id; fails as `onProject` does. */
export const onCandidate = once("candidate", (id) => within({ kind: "candidate", id }, demand("candidate", id)))
/** The ChangeSet of an id; fails as `onProject` does. */
export const onChangeSet = once("changeSet", (id) => within({ kind: "changeSet", id }, demand("changeSet", id)))
/** The row of evidence of an id; fails as `onProject` does. */
export const onEvidence = once("evidence", (id) => within({ kind: "evidence", id }, demand("evidence", id)))
/** The release of an id; fails as `onProject` does. */
export const onRelease = once("release", (id) => within({ kind: "release", id }, demand("release", id)))
/** The webhook of an id; fails as `onProject` does. */
export const onWebhook = once("webhook", (id) => within({ kind: "webhook", id }, demand("webhook", id)))

/** The delivery of an id; fails as `onProject` does, with the kind as the contract writes it: `webhook-delivery`. */
export const onDelivery = once("webhookDelivery", (id) => {
  const asked = { kind: "webhook-delivery", id }
  return within(asked, demand("webhookDelivery", id).pipe(Effect.catchTag("Unknown", () => new Unknown(asked))))
})

/** The entry of a lane of an id; fails as `onProject` does, with the kind as the contract writes it: `lane-entry`. */
export const onLaneEntry = once("laneEntry", (id) => {
  const asked = { kind: "lane-entry", id }
  return within(asked, demand("laneEntry", id).pipe(Effect.catchTag("Unknown", () => new Unknown(asked))))
})

/** A letter of the directory belongs to no Project: owners of an organization look after it, for others it is not there. */
export const onDeadLetter = once("deadLetter", (id) =>
  Effect.gen(function* () {
    const missing = new Unknown({ kind: "dead-letter", id })
    const letter = yield* Effect.flatMap(Commands, (commands) => commands.deadLetter(id)).pipe(
      Effect.catchTag("DeadLetterMissing", () => missing)
    )
    if (letter.projectId !== null) yield* allowed(letter.projectId, { kind: "dead-letter", id })
    else {
      const { user: caller } = yield* CurrentUser
      yield* requirePlace(caller.id, organizationOf(letter), "owner").pipe(Effect.catchTag("Unknown", () => missing))
    }
    return letter
  })
)

/** An organization is seen by its members and changed by its owners. */
export const onOrganization = once("organization", (id) =>
  Effect.gen(function* () {
    const { user: caller } = yield* CurrentUser
    const { need } = yield* Exchange
    return yield* requirePlace(caller.id, id, need.scope === "read" ? "member" : "owner")
  })
)

/** A user is reached by themselves to read, and by who answers for them. */
export const onUser = once("user", (id) =>
  Effect.gen(function* () {
    const { user: caller } = yield* CurrentUser
    const { path } = yield* Exchange
    if (caller.id === id && path.endsWith("/tokens")) return caller
    return yield* requireKeeper(caller.id, id)
  })
)

/** Where the ids of paths lead, by the word before them. A path that is missing here is judged by its handler alone. */
const ways = {
  projects: onProject,
  changes: onChange,
  tasks: onTask,
  runs: onRun,
  candidates: onCandidate,
  changesets: onChangeSet,
  evidence: onEvidence,
  "lane-entries": onLaneEntry,
  releases: onRelease,
  webhooks: onWebhook,
  "webhook-deliveries": onDelivery,
  "dead-letters": onDeadLetter,
  organizations: onOrganization,
  users: onUser
} as const

const isWay = (word: string): word is keyof typeof ways => Object.hasOwn(ways, word)

/**
 * Fails unless the caller may go where the path leads. This comes before the body and the query are read, for every
 * endpoint: how good they are is nobody's business who may not send them.
 */
export const judge = Effect.gen(function* () {
  const { id, path } = yield* Exchange
  const word = /^\/v1\/([a-z-]+)\/:id/.exec(path)?.[1] ?? ""
  if (id !== null && isWay(word)) yield* ways[word](id)
})
