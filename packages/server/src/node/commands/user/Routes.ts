/**
 * The endpoints that verbs ask, and the types of what they send and answer, by the contract. Only types come from the
 * contract: its schemas take longer to load than a verb may take to start. A test holds the table to it.
 */
import type { PawlApi } from "../../../api/PawlApi.ts"

/** Each endpoint's method and path, by its name in the contract. */
export const routes = {
  "account.me": ["GET", "/v1/me"],
  "account.revokeToken": ["DELETE", "/v1/tokens/:id"],
  "approvals.approve": ["POST", "/v1/changes/:id/approve"],
  "apps.get": ["GET", "/v1/projects/:id/app"],
  "apps.logs": ["GET", "/v1/projects/:id/app/logs"],
  "candidates.create": ["POST", "/v1/changes/:id/candidates"],
  "candidates.diff": ["GET", "/v1/candidates/:id/diff"],
  "candidates.evidence": ["GET", "/v1/candidates/:id/evidence"],
  "candidates.get": ["GET", "/v1/candidates/:id"],
  "candidates.list": ["GET", "/v1/changes/:id/candidates"],
  "candidates.preview": ["GET", "/v1/candidates/:id/preview"],
  "candidates.promote": ["POST", "/v1/candidates/:id/promote"],
  "candidates.why": ["GET", "/v1/candidates/:id/why"],
  "changes.cancel": ["POST", "/v1/changes/:id/cancel"],
  "changes.create": ["POST", "/v1/projects/:id/changes"],
  "changes.get": ["GET", "/v1/changes/:id"],
  "changes.list": ["GET", "/v1/projects/:id/changes"],
  "changes.tasks": ["GET", "/v1/changes/:id/tasks"],
  "changesets.create": ["POST", "/v1/changes/:id/changesets"],
  "changesets.diff": ["GET", "/v1/changesets/:id/diff"],
  "changesets.list": ["GET", "/v1/changes/:id/changesets"],
  "devices.offer": ["POST", "/v1/device"],
  "devices.token": ["POST", "/v1/device/token"],
  "events.list": ["GET", "/v1/projects/:id/events"],
  "history.ofChange": ["GET", "/v1/changes/:id/history"],
  "outside.brief": ["GET", "/v1/runs/:id/brief"],
  "outside.claim": ["POST", "/v1/tasks/:id/claim"],
  "outside.giveUp": ["POST", "/v1/runs/:id/give-up"],
  "outside.publish": ["POST", "/v1/runs/:id/publish"],
  "outside.renew": ["POST", "/v1/runs/:id/renew"],
  "projects.create": ["POST", "/v1/projects"],
  "projects.get": ["GET", "/v1/projects/:id"],
  "projects.list": ["GET", "/v1/projects"],
  "projects.releases": ["GET", "/v1/projects/:id/releases"],
  "rollbacks.plan": ["POST", "/v1/projects/:id/rollback/plan"],
  "rollbacks.create": ["POST", "/v1/projects/:id/rollback"],
  "tasks.ofProject": ["GET", "/v1/projects/:id/tasks"],
  "tasks.runs": ["GET", "/v1/tasks/:id/runs"]
} as const

/** The name of an endpoint that verbs ask. */
export type RouteName = keyof typeof routes

type Groups = (typeof PawlApi)["groups"]
type EndpointOf<Name> = Name extends `${infer Group}.${infer Member}`
  ? Group extends keyof Groups
    ? Member extends keyof Groups[Group]["endpoints"]
      ? Groups[Group]["endpoints"][Member]
      : never
    : never
  : never

type Wire<Endpoint, Part extends "~Success" | "~Payload"> = Endpoint extends { readonly [_ in Part]: infer Shape }
  ? Shape extends { readonly schema: { readonly Encoded: infer Encoded } }
    ? Encoded
    : never
  : never

/** What an endpoint answers, as JSON says it. */
export type Answer<Name extends RouteName> = Wire<EndpointOf<Name>, "~Success">
/** What is sent to an endpoint, as JSON says it. */
export type Sent<Name extends RouteName> = Wire<EndpointOf<Name>, "~Payload">
