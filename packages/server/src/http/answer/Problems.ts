/**
 * The one table from refusals to answers: which status and code, and what HTTP adds to what the refusal says. HTTP
 * statuses stand nowhere else. Facts are what a caller may know.
 */
import { Match } from "effect"
import { short } from "@pawl/core/primitives/ShortText"
import type { Problem } from "../../api/Problem.ts"
import { accessProblems } from "./problems/Access.ts"
import { appProblems } from "./problems/App.ts"
import { candidateProblems } from "./problems/Candidate.ts"
import { changeProblems } from "./problems/Change.ts"
import { machineryProblems } from "./problems/Machinery.ts"
import { projectProblems } from "./problems/Project.ts"
import { requestProblems } from "./problems/Request.ts"
import { problemOf, type Rows } from "./problems/Row.ts"
import { taskProblems } from "./problems/Task.ts"
import type { Refusal } from "./Refusal.ts"

export { internal } from "./problems/Machinery.ts"
export { problemOf } from "./problems/Row.ts"

/** The rows by room. */
export const rooms = [
  requestProblems,
  accessProblems,
  projectProblems,
  changeProblems,
  taskProblems,
  candidateProblems,
  appProblems,
  machineryProblems
] as const

/** The whole table: each refusal of the core and of HTTP has its row, or does not compile. */
export const rows: Rows = {
  ...requestProblems,
  ...accessProblems,
  ...projectProblems,
  ...changeProblems,
  ...taskProblems,
  ...candidateProblems,
  ...appProblems,
  ...machineryProblems
}

/** Facts of the core that end before they reach a handler, so that they have no row. */
export const neverAnswered = new Set([
  // Caught by the use case that meets them.
  "Conflict",
  "ObjectMissing",
  "MergeConflict",
  "NotFastForward",
  "PlannerFailed",
  "PackagesUnfit",
  // Met by the verifier, which answers findings.
  "MaterialUnreadable",
  // It ends the process.
  "Outgrown",
  // Met by workers, the router and app runtimes alone.
  "AgentUnavailable",
  "PackagesRefused",
  "PlannerUnavailable",
  "ModelUnavailable",
  "ModelRefused",
  "TurnStopped",
  "TurnFailed",
  "AppDataUnavailable",
  "AppOverLimit",
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
  "ModelRefused",
  "ModelUnavailable",
  "PointerSourceUnavailable",
  "ProbeUnanswered",
  "RemoteDiverged",
  "RemoteRefused",
  "RemoteUnavailable",
  "PublisherUnavailable",
  "SandboxUnavailable",
  "SigningRefused",
  "TurnFailed",
  "TurnStopped",
  "WebhookUnreachable"
])

/** The answer to a refusal. */
export const toProblem: (refusal: Refusal) => Problem = Match.type<Refusal>().pipe(Match.tagsExhaustive(rows))

/** 404 `not_found`, for a path that the contract does not have. */
export const noSuchPath = (path: string) =>
  problemOf(
    404,
    "not_found",
    "There is no such path",
    `There is nothing at ${short(path)}. GET /openapi.json lists what there is.`
  )

/** 405 `method_not_allowed`; `allow` is also the header of that name (RFC 9110, 15.5.6). */
export const noSuchMethod = (method: string, allow: ReadonlyArray<string>) =>
  problemOf(
    405,
    "method_not_allowed",
    "There is no such method here",
    `${short(method)} is not possible here; ${allow.join(", ")} is.`,
    { allow }
  )
