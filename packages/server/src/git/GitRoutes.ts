/** The paths of git's smart HTTP: `/git/<project id>.git`, and the three below it that git asks for. */
import { joined } from "@pawl/core/primitives/JoinedBytes"
import type { Caller } from "@pawl/core/access/Tokens"
import { Effect } from "effect"
import { type Need, reading, writing } from "../api/Needs.ts"
import { Problem } from "../api/Problem.ts"
import { problemOf } from "../http/answer/Problems.ts"
import type { BadBody } from "./GitBody.ts"
import { gitPath } from "./GitPath.ts"
import { shownMain } from "./GitRefs.ts"
import { flush, line } from "./PktLine.ts"
import { mainRef } from "./RefNames.ts"

const services = ["git-upload-pack", "git-receive-pack"] as const
type Service = (typeof services)[number]
/** What each of the two services needs. */
export const needs: { readonly [S in Service]: Need } = { "git-upload-pack": reading, "git-receive-pack": writing }

/** Where a request leads. */
export interface Route {
  readonly projectId: string
  readonly service: Service
  /** The list of refs that a conversation begins with. */
  readonly isOpening: boolean
}

/** Where a request leads, by its method and path; else the problem that it is. */
export const routeOf = (method: string, url: string): Route | Problem => {
  const [path = "", query = ""] = url.split("?", 2)
  const { projectId, rest } = gitPath(path) ?? { projectId: "", rest: "" }
  const isOpening = rest === "info/refs"
  const named = isOpening ? new URLSearchParams(query).get("service") : rest
  const service = services.find((each) => each === named)
  if (isOpening && service === undefined && projectId !== "")
    return problemOf(400, "old_git", "Use a newer git", "Only git's smart protocol is spoken here: git 1.6.6 or newer.")
  if (service === undefined)
    return problemOf(
      404,
      "not_found",
      "There is no such path",
      "git is served at /git/<project id>.git and nowhere else."
    )
  const allow = isOpening ? ["GET"] : ["POST"]
  if (!allow.includes(method))
    return problemOf(405, "method_not_allowed", "There is no such method here", `Only ${allow[0]} is possible here.`, {
      allow
    })
  return { projectId, service, isOpening }
}

/** The version of the protocol that a client asks for, by its header `Git-Protocol`. */
export const versionOf = (header: string | string[] | null | undefined): 0 | 1 | 2 => {
  const found = /^version=([012])$/.exec(String(header ?? ""))?.[1]
  return found === "2" ? 2 : found === "1" ? 1 : 0
}

/** What a push may ask for. */
const capabilities = "report-status delete-refs side-band-64k ofs-delta quiet object-format=sha1 agent=pawl"

/** The headers of a problem, which git shows as a plain text to whoever runs it. */
export const problemHeaders = ({ facts, status }: Problem): Record<string, string> => {
  const { allow, retryAfterSeconds } = facts
  return {
    "content-type": "text/plain; charset=utf-8",
    ...(status === 401 ? { "www-authenticate": 'Basic realm="pawl", charset="UTF-8"' } : {}),
    ...(typeof retryAfterSeconds === "number" ? { "retry-after": String(retryAfterSeconds) } : {}),
    ...(Array.isArray(allow) ? { allow: allow.join(", ") } : {})
  }
}

/** What a body that cannot be used is answered with. */
export const problemFrom = (error: BadBody): Problem =>
  problemOf(error.status, "bad_body", "The body cannot be used", error.reason)

/** What an answer is, by its content type. */
export const answerType = ({ isOpening, service }: Route): string =>
  `application/x-${service}-${isOpening ? "advertisement" : "result"}`

/** What the list of refs begins with. */
export const greetingOf = ({ service }: Route): Uint8Array => joined([line(`# service=${service}\n`), flush])

/** What a push is told before it: canonical, or what that was when a Task was claimed. A client leaves out what that holds. */
export const pushGreeting = Effect.fnUntraced(function* (route: Route, { run }: Caller) {
  const { commit, name } =
    run === undefined ? yield* shownMain(route.projectId) : { commit: run.baseCommit, name: mainRef }
  return joined([greetingOf(route), line(`${commit} ${name}\0${capabilities}\n`), flush])
})

/** The template of a route, for counts and the access log. Never what the caller wrote. */
export const templateOf = (route: Route | Problem): string =>
  route instanceof Problem ? "unknown" : `/git/:id.git/${route.isOpening ? "info/refs" : route.service}`
