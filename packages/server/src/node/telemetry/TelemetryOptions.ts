/** The options of metrics and traces: what they may be, and what else they are called. */
import { Option, Redacted } from "effect"

/** Whether a text can be the bearer token of `/metrics`. */
const isMetricsToken = (text: string): boolean => /^[\x21-\x7e]{8,200}$/.test(text)

/** The names that every program with OpenTelemetry knows. */
export const standardNames = (): Readonly<Record<string, unknown>> => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_SDK_DISABLED, OTEL_SERVICE_NAME } = process.env
  const named = {
    otlpEndpoint: OTEL_SDK_DISABLED === "true" ? undefined : OTEL_EXPORTER_OTLP_ENDPOINT,
    otlpHeaders: OTEL_EXPORTER_OTLP_HEADERS,
    serviceName: OTEL_SERVICE_NAME
  }
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined && value !== ""))
}

/** `name=value,name=value`, each value percent-encoded; null for what is not that. */
const headersIn = (text: string): Readonly<Record<string, string>> | null => {
  try {
    const pairs = text.split(",").filter((pair) => pair.trim() !== "")
    const read = pairs.map((pair) => {
      const [name = "", ...value] = pair.split("=")
      return [name.trim().toLowerCase(), decodeURIComponent(value.join("=").trim())] as const
    })
    const usable = read.every(([name, value]) => /^[a-z0-9_-]+$/.test(name) && /^[\x20-\x7e]+$/.test(value))
    return usable ? Object.fromEntries(read) : null
  } catch {
    return null
  }
}

const isCollector = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.search === ""
  )
}

/** What of the options tells where metrics and traces go; a text says what is wrong. */
export const telemetryOf = (read: {
  readonly metricsToken: Option.Option<Redacted.Redacted>
  readonly otlpEndpoint: Option.Option<string>
  readonly otlpHeaders: Option.Option<Redacted.Redacted>
}) => {
  const metricsToken = Option.getOrNull(read.metricsToken)
  if (metricsToken !== null && !isMetricsToken(Redacted.value(metricsToken)))
    return "metricsToken (PAWL_METRICS_TOKEN): use 8 to 200 visible ASCII characters"
  const otlpEndpoint = Option.getOrNull(read.otlpEndpoint)
  if (otlpEndpoint !== null && !isCollector(otlpEndpoint))
    return "otlpEndpoint (PAWL_OTLP_ENDPOINT): use http://host:port without a user, a password and a query"
  const headers = headersIn(Option.match(read.otlpHeaders, { onNone: () => "", onSome: Redacted.value }))
  if (headers === null)
    return "otlpHeaders (PAWL_OTLP_HEADERS): use name=value,name=value, with each value percent-encoded"
  return { metricsToken, otlpEndpoint, otlpHeaders: Redacted.make(headers) }
}
