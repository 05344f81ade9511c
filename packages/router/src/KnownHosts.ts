/** What host names say, remembered: a router is asked for the same few thousands of times a second. */
import { RouterLimits } from "./RouterLimits.ts"
import type { AppHost } from "@pawl/core/model/HostLabel"
import { hostRoute } from "./Routes.ts"

/** Where a path is, as a URL says it. A `URL` is one. */
export interface Address {
  readonly href: string
  /** Without a port. */
  readonly hostname: string
  /** Escaped, without dot segments. */
  readonly pathname: string
  /** With its `?`, or empty. */
  readonly search: string
}

/** One host of an app under one scheme. */
class Origin {
  readonly #origin: string
  readonly #hostname: string

  private constructor(url: URL) {
    this.#origin = url.origin
    this.#hostname = url.hostname
  }

  static of(scheme: "http" | "https", host: string): Origin | null {
    const url = URL.parse(`${scheme}://${host}/`)
    return url === null ? null : new Origin(url)
  }

  /** The address of a path and query, which begins with a slash or a backslash; null when it cannot be one. */
  at(path: string): Address | null {
    const href = `${this.#origin}${path}`
    if (!plain.test(path)) return URL.parse(href)
    const query = path.indexOf("?")
    const pathname = query < 0 ? path : path.slice(0, query)
    const search = query < 0 || query === path.length - 1 ? "" : path.slice(query)
    return { href, hostname: this.#hostname, pathname, search }
  }
}

/** A path and query that a URL leaves as they are: no escapes in the path, no segment that begins with a dot or is empty. */
const plain = /^(?:\/[\w~!$&()*+,;=:@-][\w~!$&()*+,;=:@.-]*)*\/?(?:\?[\w~!$&()*+,;=:@./?%-]*)?$/

/** A host of an app. `host` is its name as the router writes it, with the port that was asked for. */
export class KnownHost {
  readonly _tag = "App"
  readonly app: AppHost
  readonly host: string
  #plain: Origin | null | undefined
  #secure: Origin | null | undefined

  constructor(app: AppHost, host: string) {
    this.app = app
    this.host = host
  }

  address(secure: boolean, path: string): Address | null {
    const origin = secure
      ? (this.#secure ??= Origin.of("https", this.host))
      : (this.#plain ??= Origin.of("http", this.host))
    return origin === null ? null : origin.at(path)
  }
}

/** What a host name says: an app's host, the apps domain itself, or nothing of ours. */
export type Host = KnownHost | { readonly _tag: "Apex" } | { readonly _tag: "Nobody" }

/** Host names under one apps domain, as they were read; bounded. */
export class KnownHosts {
  readonly #appsDomain: string
  readonly #known = new Map<string, KnownHost>()

  constructor(appsDomain: string) {
    this.#appsDomain = appsDomain
  }

  /** Whose host this is, as it was asked for. */
  of(host: string): Host {
    const known = this.#known.get(host)
    if (known !== undefined) return known
    const route = hostRoute(host, this.#appsDomain)
    if (route._tag !== "App") return route
    const made = new KnownHost(route.app, route.host)
    // Anybody may ask for any name: what nobody asks for again is not kept for long.
    if (this.#known.size >= RouterLimits.pointerCacheEntries) this.#known.clear()
    this.#known.set(host, made)
    return made
  }
}
