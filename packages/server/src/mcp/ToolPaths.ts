/**
 * What tools may ask of the API, whatever their token may: the rest is for people. A tool that is made later and asks for
 * more is refused here, before its question goes out.
 */

/** `:id` is one part of a path, whatever it says. */
const reads = [
  "/v1/me",
  "/v1/projects",
  "/v1/projects/:id",
  "/v1/projects/:id/app",
  "/v1/projects/:id/app/logs",
  "/v1/projects/:id/changes",
  "/v1/projects/:id/code",
  "/v1/projects/:id/versions",
  "/v1/changes/:id",
  "/v1/changes/:id/tasks",
  "/v1/changes/:id/candidates",
  "/v1/changesets/:id/diff",
  "/v1/candidates/:id",
  "/v1/candidates/:id/diff",
  "/v1/candidates/:id/why",
  "/v1/candidates/:id/evidence",
  "/v1/runs/:id/brief",
  "/v1/runs/:id/checks"
]

const writes = [
  "/v1/projects/:id/changes",
  "/v1/changes/:id/changesets",
  "/v1/changes/:id/candidates",
  "/v1/runs/:id/claims",
  "/v1/runs/:id/checks",
  "/v1/runs/:id/publish",
  "/v1/runs/:id/give-up"
]

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(":id", "[^/]+")}$`)

const patterns = { GET: reads.map(patternOf), POST: writes.map(patternOf) }

/** Whether tools ask this: a path of the API without its query, as it goes over the wire. */
export const isForTools = (method: "GET" | "POST", path: string): boolean =>
  patterns[method].some((pattern) => pattern.test(path))
