/**
 * The public script of the API: it sends each request to the object that it belongs to, and shows the console. It holds
 * nothing itself.
 */
import type { CanonicalForApi, InstallationSettings } from "./Bindings.ts"
import { consoleOf, type StaticAssets } from "./Console.ts"
import { isPromotion, placeOf, sentTo } from "./Places.ts"
import { asksReady, readyAnswer } from "./ReadyAnswer.ts"

/** The paths of the Model Context Protocol: what answers them is read when somebody first asks. */
const mcpPaths = /^(\/\.well-known\/oauth-protected-resource)?\/mcp$/

/** Who reads the contract, which lies beside the script. All else at these paths is refused where the API is. */
const readsContract = (method: string, pathname: string): boolean =>
  (method === "GET" || method === "HEAD") && (pathname === "/openapi.json" || pathname === "/docs")

/** Bindings of the script. */
export interface ApiBindings {
  readonly CANONICAL: CanonicalForApi
  readonly INTEGRATION: { readonly fetch: (request: Request) => Promise<Response> }
  readonly CONSOLE: StaticAssets
  readonly SETTINGS: InstallationSettings
}

/** Who makes a Project must be somebody, before there is a place for it. */
const known = (request: Request, { CANONICAL }: ApiBindings): Promise<Response> => {
  const headers = new Headers(request.headers)
  for (const name of ["content-length", "content-type"]) headers.delete(name)
  return CANONICAL.fetch(sentTo(null, new Request(new URL("/v1/me", request.url), { headers })))
}

/** Answers a request to the API. */
const apiAnswer = async (request: Request, env: ApiBindings): Promise<Response> => {
  const { CANONICAL, INTEGRATION } = env
  const { pathname } = new URL(request.url)
  if (asksReady(request.method, pathname)) return readyAnswer(request, CANONICAL)
  if (isPromotion(request.method, pathname)) return INTEGRATION.fetch(request)
  const place = placeOf(request.method, pathname)
  if (place._tag === "Directory") return CANONICAL.fetch(sentTo(null, request))
  if (place._tag === "NewProject") {
    const caller = await known(request, env)
    if (!caller.ok) return caller
    await caller.body?.cancel()
    return CANONICAL.fetch(sentTo(`proj_${crypto.randomUUID()}`, request))
  }
  const project = await CANONICAL.whereIs(place._tag === "Project" ? "project" : place.kind, place.id)
  // The directory says that there is no such thing, in the words of the API.
  return CANONICAL.fetch(sentTo(project, request))
}

const answer = async (request: Request, env: ApiBindings): Promise<Response> => {
  const screen = consoleOf(env.SETTINGS, env.CONSOLE)(request)
  if (screen !== null) return screen
  const { pathname } = new URL(request.url)
  if (readsContract(request.method, pathname)) return (await import("./Contract.ts")).contractAnswer(request)
  if (!mcpPaths.test(pathname)) return apiAnswer(request, env)
  const { assistantAnswer } = await import("./Assistants.ts")
  return assistantAnswer(request, env.SETTINGS, (question) => apiAnswer(question, env))
}

export default { fetch: answer }
