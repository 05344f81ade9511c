/**
 * Where a request goes by its `Host`: to an app, to the API, or nowhere. One rule for every server that has both, on
 * Node as in a Worker.
 */
import type { KnownHosts } from "./KnownHosts.ts"

/** Who answers a request. `nowhere`: its host is none of ours. */
export type Place = "app" | "api" | "nowhere"

/** Which hosts this server answers for. */
export interface Hosts {
  /** The hosts of apps, as the router reads them too; null where none are served. */
  readonly apps: KnownHosts | null
  /** Whether a `Host` header names the API. */
  readonly isApi: (host: string) => boolean
}

/** Hosts below the apps' domain are never the API's, even those that no app can have: what they get says so. */
export const placeOf = ({ apps, isApi }: Hosts, host: string): Place => {
  if (apps?.isBelow(host) === true) return "app"
  return isApi(host) ? "api" : "nowhere"
}
