/** What a provider's refusals mean: whether the call may be asked again, and whether it was paid for. */
import { ModelRefused, ModelUnavailable } from "@pawl/core/agent/ModelFailures"
import type { ModelEndpoint } from "./ModelEndpoint.ts"
import { Redacted } from "effect"
import { ModelsLimits } from "./ModelsLimits.ts"
import { fieldsOf, jsonOf, textOf } from "./WireDialect.ts"

/** Seconds, or a date (RFC 9110, 10.2.3). Null for anything else. */
const retryAfterMs = (header: string | undefined, now: number): number | null => {
  if (header === undefined) return null
  if (/^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(header)) return Math.ceil(Number(header) * 1000)
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

/** What the provider said, in one bounded line without the key: some repeat it. */
export const reasonOf = (said: string, { key }: ModelEndpoint): string => {
  const error = fieldsOf(fieldsOf(jsonOf(said))?.["error"])
  const text = (textOf(error?.["message"]) || said).replace(/\s+/g, " ").trim()
  const secret = key === null ? "" : Redacted.value(key)
  return (secret === "" ? text : text.replaceAll(secret, "…")).slice(0, ModelsLimits.reasonChars)
}

const saysTooLong = (text: string): boolean =>
  /context|too long|max\w*[ _]\w*tokens/i.test(text) && !/unsupported[ _]parameter/i.test(text)

/** A response that is not 200. `now` is in milliseconds. */
export const failureOf = (
  endpoint: ModelEndpoint,
  response: { readonly status: number; readonly headers: Readonly<Record<string, string | undefined>> },
  text: string,
  now: number
): ModelUnavailable | ModelRefused => {
  const { headers, status } = response
  const reason = `${status} ${reasonOf(text, endpoint)}`.trim().slice(0, ModelsLimits.reasonChars)
  const away = (kind: ModelUnavailable["kind"], charged: ModelUnavailable["charged"]) =>
    new ModelUnavailable({ kind, status, retryAfterMs: retryAfterMs(headers["retry-after"], now), charged, reason })
  const refused = (kind: ModelRefused["kind"]) => new ModelRefused({ kind, status, reason })
  if (status === 401 || status === 403) return refused("credentials")
  if (status === 402) return refused("funds")
  if (status === 429) return away("rate", "no")
  if (status === 529) return away("overloaded", "no")
  if (status === 503) return away("overloaded", "unknown")
  if (status === 408 || status >= 500) return away("server", "unknown")
  if (status < 400) return refused("request")
  return refused(status === 413 || saysTooLong(text) ? "too_long" : "request")
}
