/**
 * The console before the script of the API: its files are static assets of the script, which nobody but it asks for. They
 * leave it plain: Cloudflare packs them for each browser.
 */
import { consoleAnswer, type ConsoleFact } from "../http/console/ConsoleAnswer.ts"
import { appHostsOf, consoleHeaders } from "../http/console/ConsoleHeaders.ts"
import type { InstallationSettings } from "./Bindings.ts"

type Laid = Pick<ConsoleFact, "type" | "digest">

/** What the deployment knows of the console's files when it lays them out. */
interface ConsoleManifest {
  readonly page: Laid
  /** By their names below `/console/`. */
  readonly named: Readonly<Record<string, Laid>>
}

/** The files that were laid out, which the deployment puts in the place of this name. */
declare const PAWL_CONSOLE: ConsoleManifest

/** The static assets of a script. */
export interface StaticAssets {
  readonly fetch: (url: string) => Promise<Response>
}

interface Asset extends ConsoleFact {
  readonly path: string
}

const { named, page }: ConsoleManifest = PAWL_CONSOLE

const files = {
  page: { ...page, codings: [], path: "/index.html" },
  named: (name: string): Asset | null =>
    Object.hasOwn(named, name) && named[name] !== undefined
      ? { ...named[name], codings: [], path: `/console/${name}` }
      : null
}

/** Answers what is the console's; null for all else. */
export const consoleOf = (
  { apiOrigin, appsDomain }: Pick<InstallationSettings, "apiOrigin" | "appsDomain">,
  assets: StaticAssets
): ((request: Request) => Promise<Response> | null) => {
  const answer = consoleAnswer<Asset>(() => files, consoleHeaders(appHostsOf(apiOrigin, appsDomain)))
  return (request) => {
    const { pathname, search } = new URL(request.url)
    const { headers: given, method } = request
    const found = answer({ method, url: `${pathname}${search}`, header: (name) => given.get(name) })
    return found === null ? null : sent(found, method === "HEAD", assets)
  }
}

type Found = NonNullable<ReturnType<ReturnType<typeof consoleAnswer<Asset>>>>

const sent = async ({ body, headers, status }: Found, isHead: boolean, assets: StaticAssets): Promise<Response> => {
  if (isHead || body === null) return new Response(null, { status, headers })
  if (typeof body === "string") return new Response(body, { status, headers })
  const asset = await assets.fetch(`https://console${body.file.path}`)
  if (asset.ok) return new Response(asset.body, { status, headers })
  // Deployed without it: no browser keeps that answer.
  return new Response(null, { status: 503, headers: { ...headers, "cache-control": "no-store" } })
}
