/** What host names say, remembered: a router is asked for the same few thousands of times a second. */
import { RouterLimits } from "./RouterLimits.ts"
import { type AppHost, hostFor, parseHost } from "@pawl/core/model/HostLabel"
import { Limits } from "@pawl/core/primitives/Limits"

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

  /** The address of a path and query on this host; null when it cannot be one. */
  address(secure: boolean, path: string): Address | null {
    const origin = secure
      ? (this.#secure ??= Origin.of("https", this.host))
      : (this.#plain ??= Origin.of("http", this.host))
    return origin === null ? null : origin.at(path)
  }
}

/** What a host name says: an app's host, the apps domain itself, or nothing of ours. */
export type Host = KnownHost | { readonly _tag: "Apex" } | { readonly _tag: "Nobody" }

const apex = { _tag: "Apex" } as const
const nobody = { _tag: "Nobody" } as const

/** An app's host gets the name that the router writes, with the port that was asked for. */
const hostOf = (parsed: ReturnType<typeof parseHost>, asked: string, appsDomain: string): Host => {
  if (parsed === "apex") return apex
  if (parsed === null || parsed === undefined) return nobody
  const name = hostFor(parsed.label, parsed.channel, appsDomain.toLowerCase().replace(/:\d*$/, ""))
  return new KnownHost(parsed, `${name}${/:\d{1,5}$/.exec(asked)?.[0] ?? ""}`)
}

interface Read {
  readonly host: Host
  readonly isBelow: boolean
}

/** Host names as they were read under one apps domain; bounded. */
export class KnownHosts {
  readonly #appsDomain: string
  readonly #known = new Map<string, Read>()

  constructor(appsDomain: string) {
    this.#appsDomain = appsDomain
  }

  /** Whose host this is, as it was asked for. */
  of(host: string): Host {
    return this.#read(host).host
  }

  /** Whether a host is the apps domain or lies below it, also where no app could have it. */
  isBelow(host: string): boolean {
    return this.#read(host).isBelow
  }

  #read(host: string): Read {
    const known = this.#known.get(host)
    if (known !== undefined) return known
    const parsed = parseHost(host, this.#appsDomain)
    const read = { host: hostOf(parsed, host, this.#appsDomain), isBelow: parsed !== undefined }
    if (host.length > Limits.hostLength) return read
    // Anybody may ask for any name: what nobody asks for again is not kept for long.
    if (this.#known.size >= RouterLimits.pointerCacheEntries) this.#known.clear()
    this.#known.set(host, read)
    return read
  }
}
