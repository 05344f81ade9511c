/** What every endpoint may answer instead of what was asked for: a problem. */
import { HttpApiMiddleware } from "effect/http-api"
import { problem } from "./Problem.ts"

/** Declares those problems, so that clients know them as errors. */
export class Refusing extends HttpApiMiddleware.Service<Refusing>()("@pawl/server/api/AnyRefusal", {
  error: [
    problem(400),
    problem(401),
    problem(403),
    problem(404),
    problem(405),
    problem(409),
    problem(410),
    problem(413),
    problem(415),
    problem(422),
    problem(429),
    problem(500),
    problem(503)
  ]
}) {}
