/** The build service of release targets, when one is set up, and the probes of those targets. */
import type { LookupFunction } from "node:net"
import { Effect, Layer, Option, type Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { type CloudflareAccount, defaultApiUrl } from "@pawl/adapters-cloudflare/builds/CloudflareApi"
import * as TargetProbes from "@pawl/adapters-cloudflare/builds/TargetProbes"
import * as WorkersBuilds from "@pawl/adapters-cloudflare/builds/WorkersBuilds"
import { publicLookup } from "@pawl/adapters-local/webhooks/PublicLookup"
import * as BuildService from "@pawl/core/release/BuildService"
import { OutboundRule } from "@pawl/core/primitives/OutboundAddress"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"

/** Each probe has a connection of its own, to an address that was looked at when the name was looked up. */
const probing = (lookup: LookupFunction) =>
  Layer.unwrap(
    Effect.map(OutboundRule, ({ allowPrivate }) =>
      Layer.provide(
        TargetProbes.layer,
        NodeHttpClient.layerNodeHttpOptions({ keepAlive: false, ...(allowPrivate ? {} : { lookup }) })
      )
    )
  )

const unset = Layer.succeed(
  BuildService.BuildService,
  BuildService.none("PAWL_BUILDS_API_TOKEN and PAWL_BUILDS_ACCOUNT_ID name one")
)

/** Without an account the build service says that there is none. `lookup` is how targets' names are looked up. */
export const layer = (account: CloudflareAccount | null, lookup: LookupFunction = publicLookup()): Layer.Layer<never> =>
  Layer.merge(
    probing(lookup),
    account === null ? unset : WorkersBuilds.layer(account).pipe(Layer.provide(FetchHttpClient.layer))
  )

/** The account that three options name; a text says what is wrong with them. */
export const accountOf = (options: {
  readonly buildsApiToken: Option.Option<Redacted.Redacted>
  readonly buildsAccountId: Option.Option<string>
  readonly buildsApiUrl: Option.Option<string>
}): CloudflareAccount | string | null => {
  const token = Option.getOrNull(options.buildsApiToken)
  const accountId = Option.getOrNull(options.buildsAccountId)
  if (token === null && accountId === null) return null
  if (token === null || accountId === null)
    return "buildsApiToken (PAWL_BUILDS_API_TOKEN) and buildsAccountId (PAWL_BUILDS_ACCOUNT_ID): set both or neither"
  if (!/^[A-Za-z0-9-]{1,64}$/.test(accountId)) return "buildsAccountId: use letters, digits and -"
  const apiUrl = Option.getOrElse(options.buildsApiUrl, () => defaultApiUrl).replace(/\/+$/, "")
  if (!URL.canParse(apiUrl) || !/^https?:\/\//.test(apiUrl)) return "buildsApiUrl: use a http or https URL"
  return { accountId, token, apiUrl }
}
