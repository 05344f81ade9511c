/**
 * The one table from refusals to answers: which status and code, and how it is said. HTTP statuses stand nowhere else.
 * Facts are what a caller may know; what broke inside is in the log only.
 */
import { behind } from "@pawl/core/promotion/Promotions"
import { Match } from "effect"
import { changeSetLimitWords } from "@pawl/core/changeset/ChangeSets"
import { Problem, type ProblemStatus } from "../../api/Problem.ts"
import type { Refusal } from "./Refusal.ts"

type Facts = Readonly<Record<string, unknown>>

export const problemOf = (
  status: ProblemStatus,
  code: string,
  title: string,
  detail: string,
  facts: Facts = {}
): Problem => new Problem({ status, code, title, detail, facts, requestId: "" })

const conflict = (code: string, title: string, detail: string, facts?: Facts) =>
  problemOf(409, code, title, detail, facts)

const unavailable = () =>
  problemOf(
    503,
    "unavailable",
    "Try again",
    "Something that the server needs is away at the moment. Nothing is known to be lost; try again.",
    { retryAfterSeconds: 1 }
  )

/** What a caller sent is repeated only in part: it may be long. */
const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

const wordOf = (kind: string): string => kind.toLowerCase().replace(/-/g, "_")

const credentials = {
  missing: "Send a token: Authorization: Bearer pawl_….",
  unknown: "This token is not one of this installation's.",
  expired: "This token has expired. Ask for a new one.",
  revoked: "This token was revoked. Ask for a new one.",
  disabled: "The user of this token was disabled."
}

export const internal = (): Problem =>
  problemOf(
    500,
    "internal",
    "The server made a mistake",
    "The server made a mistake. Tell its operator the requestId: the log has it."
  )

/** By the tag of the refusal. */
export const rows: { readonly [T in Refusal["_tag"]]: (refusal: Extract<Refusal, { readonly _tag: T }>) => Problem } = {
  // What was sent cannot be used.
  InvalidField: ({ code, field, reason }) =>
    problemOf(400, code, "A field cannot be used", `${short(field)}: ${reason}.`, { field: short(field) }),
  InvalidPath: ({ path, reason }) =>
    problemOf(
      400,
      "invalid_path",
      "A path cannot be used",
      `The path ${JSON.stringify(short(path))} cannot be used: ${reason}.`,
      { path: short(path) }
    ),
  TreeTooLarge: ({ limit, max, actual }) =>
    problemOf(
      413,
      "tree_too_large",
      "The source is too large",
      `The source would have ${actual} where ${limit} allows ${max}.`,
      { limit, max, actual }
    ),

  // Who asks.
  Unauthenticated: ({ reason }) => problemOf(401, "unauthenticated", "Who are you?", credentials[reason], { reason }),
  InsufficientRole: ({ held, needed }) =>
    problemOf(
      403,
      "insufficient_role",
      "Your role may not do this",
      `This needs the role ${needed}; yours is ${held}.`,
      { held, needed }
    ),
  InsufficientScope: ({ held, needed }) =>
    problemOf(
      403,
      "insufficient_scope",
      "Your token may not do this",
      `This needs a token with the scope ${needed}; this one has ${held.join(", ") || "none"}.`,
      { held, needed }
    ),
  ScopeExceedsToken: ({ beyond, endsAt, held }) =>
    problemOf(
      403,
      "scope_exceeds_token",
      "A token makes no wider one",
      endsAt === null
        ? `This needs a token with the scopes ${beyond.join(", ")} too; this one has ${held.join(", ") || "none"}.`
        : `What is asked for would end later than the token that asks, which ends at ${endsAt}.`,
      { held, beyond, endsAt }
    ),
  BelongsElsewhere: ({ userId }) =>
    problemOf(
      403,
      "belongs_elsewhere",
      "Not yours alone to end",
      `${userId} also belongs to an organization that you do not own. Remove them from yours: that ends all that they have there. An operator can do the rest on the machine.`,
      { userId }
    ),
  SelfApproval: ({ changeId }) =>
    problemOf(
      403,
      "self_approval",
      "Someone else must decide",
      `The Policy does not let those decide on ${changeId} who opened it or wrote what is in it. Ask another member.`,
      { changeId }
    ),
  FixturesDisabled: () =>
    problemOf(
      403,
      "fixtures_disabled",
      "Fixtures are switched off",
      "This installation injects no failures. Its operator can set PAWL_FIXTURES_ENABLED."
    ),

  // What is not there.
  Unknown: ({ kind, id }) =>
    problemOf(
      404,
      `unknown_${wordOf(kind)}`,
      "There is no such thing",
      `There is no ${kind.toLowerCase()} ${short(id)} that you may see.`
    ),
  DeadLetterMissing: ({ id }) =>
    problemOf(
      404,
      "unknown_dead_letter",
      "There is no such thing",
      `There is no dead letter ${short(id)} that you may see.`
    ),
  EventsExpired: ({ after, oldest }) =>
    problemOf(
      410,
      "events_expired",
      "These events are gone",
      `Events after ${after} are no longer all kept; the oldest has the sequence ${oldest}. Read the state, then go on from there.`,
      { after, oldest }
    ),

  // What the state does not allow.
  SlugTaken: ({ slug }) =>
    conflict(
      "slug_taken",
      "The slug is taken",
      `Another Project of the organization has the slug ${slug}. Choose another.`,
      { slug }
    ),
  ProjectArchived: ({ projectId }) =>
    conflict(
      "project_archived",
      "The Project is archived",
      `${projectId} is archived. It can be read, and takes no more work.`,
      { projectId }
    ),
  HasSource: ({ projectId }) =>
    conflict("has_source", "The Project has a source", `${projectId} has its S0. Record ChangeSets to change it.`),
  NoSource: ({ projectId }) =>
    conflict(
      "no_source",
      "The Project has no source",
      `${projectId} has no source yet. Seed it with POST /v1/projects/${projectId}/source.`
    ),
  AppsDisabled: () =>
    conflict(
      "apps_disabled",
      "No apps here",
      "This installation hosts no live apps: its apps domain is not configured."
    ),
  NoDeployedRelease: ({ projectId }) =>
    conflict(
      "no_deployed_release",
      "No release is deployed",
      `What is live at ${projectId} was not deployed by a release, or nothing is live. Promote a Candidate first.`
    ),
  ChangeClosed: ({ changeId, status }) =>
    conflict(
      "change_closed",
      "The Change is closed",
      `${changeId} is ${status}. Open another Change for further work.`,
      { changeStatus: status }
    ),
  ChangeSetLimit: ({ max }) => conflict("changeset_limit", "No more ChangeSets", changeSetLimitWords(max), { max }),
  CandidateLimit: ({ max }) =>
    conflict(
      "candidate_limit",
      "No more Candidates",
      `The Change has its ${max} Candidates. Promote one of them, or open a new Change for further work.`,
      { max }
    ),
  Stale: ({ candidateId, baseGeneration, canonicalGeneration, rollback }) =>
    conflict(
      "stale",
      "Canonical has moved on",
      `${behind({ baseGeneration, canonicalGeneration })} ${rollback ? "Look at what is live now, and ask for the rollback anew." : "Ask for a new Candidate of the same ChangeSets."}`,
      { candidateId, baseGeneration, canonicalGeneration }
    ),
  AnotherPromoting: ({ candidateId, changeId, promotingCandidateId }) =>
    conflict(
      "promotion_under_way",
      "Another Candidate is being promoted",
      `${changeId} is promoting ${promotingCandidateId}. If that is refused, promote ${candidateId} again.`,
      { candidateId, promotingCandidateId }
    ),
  RollbackStale: ({ expectedGeneration, canonicalGeneration }) =>
    conflict(
      "stale",
      "Canonical has moved on",
      `Canonical is at S${canonicalGeneration}, the rollback was asked on S${expectedGeneration}. Look at what is live now, and ask for it anew.`,
      { expectedGeneration, canonicalGeneration }
    ),
  RollbackTakesNoChangeSets: ({ changeId }) =>
    conflict(
      "rollback_takes_no_changesets",
      "A rollback takes no ChangeSets",
      `${changeId} is a rollback: it carries the tree of its target and nothing else. Open another Change for further work.`,
      { changeId }
    ),
  Blocked: ({ candidateId, blocks }) =>
    conflict(
      "blocked",
      "The Candidate cannot be promoted",
      blocks.map((block) => `${block.code}: ${block.detail}`).join("; "),
      { candidateId, blocks }
    ),
  AlreadyDecided: ({ candidateId, decision, approver }) =>
    conflict("already_decided", "It was decided before", `${approver} decided ${decision}. That stands.`, {
      candidateId,
      decision,
      approver
    }),
  NotRequired: ({ candidateId, status }) =>
    conflict("not_required", "No approval is owed", `This Candidate is ${status} and owes no decision now.`, {
      candidateId,
      candidateStatus: status
    }),
  BudgetCannotDecrease: ({ current, asked }) =>
    conflict(
      "budget_cannot_decrease",
      "A budget can only be raised",
      `The budget is ${current} USD; ${asked} is less.`,
      { current, asked }
    ),
  NotCancellable: ({ changeId, status }) =>
    conflict(
      "not_cancellable",
      "Too late to cancel",
      `${changeId} is ${status}. A Change can be cancelled until its promotion starts.`,
      { changeStatus: status }
    ),
  NotComposed: ({ candidateId, status }) =>
    conflict(
      "not_composed",
      "There is nothing to compare yet",
      `${candidateId} is ${status} and has no commit. Ask again when it is verifying.`,
      { candidateStatus: status }
    ),
  TokenLimit: ({ max }) =>
    conflict("token_limit", "No more tokens", `You have ${max} live tokens. Revoke one first.`, { max }),
  LastOwner: ({ organizationId, userId }) =>
    conflict(
      "last_owner",
      "An organization keeps an owner",
      `${userId} is the only owner of ${organizationId}. Make another one first.`,
      { userId, organizationId }
    ),
  OrganizationLimit: ({ max }) =>
    conflict(
      "organization_limit",
      "No more organizations",
      `${max} organizations count for you, by those whom you brought in too, and no more may.`,
      { max }
    ),
  UserLimit: ({ max }) =>
    conflict(
      "user_limit",
      "No more users",
      `${max} users count for this organization or for who stands behind it, and no more may. Disable some.`,
      { max }
    ),
  MemberLimit: ({ max }) =>
    conflict("member_limit", "No more members", `The organization has its ${max} members.`, { max }),
  WebhookInactive: ({ webhookId }) =>
    conflict(
      "webhook_inactive",
      "The webhook is inactive",
      `The receiver of ${webhookId} wanted nothing any more. Make a new webhook.`,
      { webhookId }
    ),
  WebhookLimit: ({ max }) =>
    conflict("webhook_limit", "No more webhooks", `The Project has its ${max} webhooks. Delete one first.`, { max }),

  // What is too much.
  DiffTooLarge: ({ max }) =>
    problemOf(
      422,
      "diff_too_large",
      "The diff is too large",
      `The diff is larger than can be answered (${max}). Compare the trees with /code instead.`,
      { max }
    ),
  BuildCapReached: ({ keptForOthers, perDay }) =>
    problemOf(
      429,
      "build_cap_reached",
      "No more builds today",
      `All ${perDay} builds of today are used${keptForOthers ? ", or kept for other organizations" : ""}. Tomorrow (UTC) there are more; a bundle that exists is used without a build.`,
      { perDay, keptForOthers, retryAfterSeconds: 3600 }
    ),

  // What is not the caller's fault. Keys are made by the server, and what was just written is there.
  InvalidKey: internal,
  ObjectNotFound: internal,
  LeaseLost: unavailable,
  LedgerUnavailable: unavailable,
  ObjectStoreUnavailable: unavailable,
  RepositoriesUnavailable: unavailable,
  RouteReaderUnavailable: unavailable
}

/** Facts of the core that end before they reach a handler, so that they have no row. */
export const neverAnswered = new Set([
  // Caught by the use case that meets them.
  "Conflict",
  "ObjectMissing",
  "MergeConflict",
  "NotFastForward",
  "PlannerFailed",
  // Met by workers, the router and app runtimes alone.
  "AgentUnavailable",
  "PlannerUnavailable",
  "AppDataUnavailable",
  "AppOverLimit",
  "AppRuntimeUnavailable",
  "AppThrew",
  "BuildCrashed",
  "BuildRefused",
  "BuildServiceLimited",
  "BuildServiceMissing",
  "BuildServiceUnauthorized",
  "BuildServiceUnavailable",
  "BuilderUnavailable",
  "BundleDamaged",
  "BundleMismatch",
  "BundleUnusable",
  "DataRefused",
  "IsolationMissing",
  "JournalUnreadable",
  "PointerSourceUnavailable",
  "ProbeUnanswered",
  "RemoteDiverged",
  "RemoteRefused",
  "RemoteUnavailable",
  "SandboxUnavailable",
  "WebhookUnreachable"
])

/** The answer to a refusal. */
export const toProblem: (refusal: Refusal) => Problem = Match.type<Refusal>().pipe(Match.tagsExhaustive(rows))

/** Not in the contract at all. */
export const noSuchPath = (path: string) =>
  problemOf(
    404,
    "not_found",
    "There is no such path",
    `There is nothing at ${short(path)}. GET /openapi.json lists what there is.`
  )

export const noSuchMethod = (method: string, allow: ReadonlyArray<string>) =>
  problemOf(
    405,
    "method_not_allowed",
    "There is no such method here",
    `${short(method)} is not possible here; ${allow.join(", ")} is.`,
    { allow }
  )
