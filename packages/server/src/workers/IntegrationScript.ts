/** The script that alone may ask the canonical one for a promotion. It has no route: the API is bound to it. */
import type { CanonicalForApi, CanonicalForIntegration } from "./Bindings.ts"
import { isPromotion, placeOf, sentTo } from "./Places.ts"

/** Bindings of the script. */
export interface IntegrationBindings {
  readonly CANONICAL: CanonicalForIntegration
  readonly DIRECTORY: CanonicalForApi
}

/** Answers a request for a promotion. */
const answer = async (request: Request, { CANONICAL, DIRECTORY }: IntegrationBindings): Promise<Response> => {
  const { pathname } = new URL(request.url)
  if (!isPromotion(request.method, pathname)) return new Response(null, { status: 404 })
  const place = placeOf(request.method, pathname)
  const project = place._tag === "Record" ? await DIRECTORY.whereIs(place.kind, place.id) : null
  if (project !== null) return CANONICAL.fetch(sentTo(project, request))
  // What there is not is said by the directory: it has no Candidates, so it promotes none.
  const unknown = new Request(new URL(pathname.replace(/\/promote\/?$/, ""), request.url), { headers: request.headers })
  return DIRECTORY.fetch(sentTo(null, unknown))
}

export default { fetch: answer }
