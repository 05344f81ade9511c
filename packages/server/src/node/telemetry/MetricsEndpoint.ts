/** `GET /metrics`, for Prometheus: only when it is turned on, and only for who may read it. */
import { createHash, timingSafeEqual } from "node:crypto"
import { readdirSync } from "node:fs"
import type { IncomingMessage, RequestListener } from "node:http"
import { ServerLimits } from "../../ServerLimits.ts"
import { recent } from "@pawl/core/primitives/Recent"
import { Backlog, type ConsumerLag, type QueueDepth } from "@pawl/core/telemetry/Backlog"
import { contentType, expose } from "@pawl/core/telemetry/Exposition"
import { Counter, Gauge, type Meter } from "@pawl/core/telemetry/Meter"
import { all, type MeterSet } from "@pawl/core/telemetry/Meters"
import { Effect, Redacted } from "effect"
import { problem } from "../listen/Listener.ts"
import type { Options } from "../Options.ts"
import { version } from "../Version.ts"

const single = (value: number) => [{ labels: [], value }]

/** Open files of this process; none where that cannot be seen. */
const openFiles = () => {
  try {
    return single(readdirSync("/proc/self/fd").length)
  } catch {
    return []
  }
}

const gauge = (name: string, help: string, read: () => ReturnType<typeof single>): Gauge => {
  const made = new Gauge(name, help, [])
  made.from(read)
  return made
}

class Used extends Counter {
  override samples() {
    const { system, user } = process.cpuUsage()
    return single((system + user) / 1e6)
  }
}

/** The meters of this process, by the names that Prometheus's own clients use. */
export const processMeters = (): ReadonlyArray<Meter> => {
  const info = new Gauge("pawl_info", "1, with the version of this server.", ["version"])
  info.from(() => [{ labels: [version], value: 1 }])
  return [
    info,
    new Used("process_cpu_seconds_total", "CPU time of this process, without that of apps and checks.", []),
    gauge("process_resident_memory_bytes", "Memory of this process.", () => single(process.memoryUsage.rss())),
    gauge("process_open_fds", "Open files of this process.", openFiles),
    gauge("process_start_time_seconds", "When this process started, in seconds since 1970.", () =>
      single(Math.round(performance.timeOrigin) / 1000)
    )
  ]
}

interface Waiting {
  readonly queue: ReadonlyArray<QueueDepth>
  readonly lag: ReadonlyArray<ConsumerLag>
  readonly readable: boolean
}

const nothing: Waiting = { queue: [], lag: [], readable: false }

/** Asks the store at most once in `ServerLimits.backlogAgeMs`, however many scrape. */
const reading = Effect.gen(function* () {
  const backlog = yield* Backlog
  return yield* recent(
    Effect.all([backlog.queue, backlog.lag]).pipe(
      Effect.map(([queue, lag]): Waiting => ({ queue, lag, readable: true })),
      Effect.timeoutOrElse({ duration: ServerLimits.backlogReadMs, orElse: () => Effect.succeed(nothing) }),
      Effect.catch((away) => Effect.as(Effect.logWarning("the backlog was not read", away.reason), nothing))
    ),
    ServerLimits.backlogAgeMs
  )
})

const show = (meters: MeterSet, { lag, queue, readable }: Waiting): void => {
  meters.backlogReadable.from(() => single(readable ? 1 : 0))
  meters.commands.from(() => queue.map(({ count, kind, state }) => ({ labels: [kind, state], value: count })))
  meters.eventLag.from(() => lag.map(({ consumer, events }) => ({ labels: [consumer], value: events })))
  meters.consumers.from(() => lag.map(({ consumer, groups }) => ({ labels: [consumer], value: groups })))
}

const loopback = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/
const forwarding = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"]

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** With a token whoever has it; without one whoever is on this machine, and not a proxy that speaks for somebody. */
const mayRead = (token: Redacted.Redacted | null, { headers, socket }: IncomingMessage): boolean => {
  if (token === null)
    return loopback.test(socket.remoteAddress ?? "") && forwarding.every((name) => headers[name] === undefined)
  const given = /^bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1] ?? ""
  return timingSafeEqual(digest(given), digest(Redacted.value(token)))
}

/** Answers `/metrics` itself and leaves everything else, and without `metrics` that too, to `others`. */
export const before = Effect.fnUntraced(function* (
  others: RequestListener,
  { metrics, metricsToken }: Options,
  meters: MeterSet
) {
  if (!metrics) return others
  const read = yield* reading
  const own = processMeters()
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const listener: RequestListener = (req, res) => {
    if (!/^\/metrics(\?|$)/.test(req.url ?? "")) return others(req, res)
    if (req.method !== "GET" && req.method !== "HEAD")
      return problem(res, 405, "method_not_allowed", "/metrics takes GET and HEAD.", { allow: "GET, HEAD" })
    if (!mayRead(metricsToken, req))
      return problem(
        res,
        401,
        "unauthenticated",
        metricsToken === null
          ? "Without PAWL_METRICS_TOKEN only callers on this machine may read metrics, and no proxy."
          : "Send the token of PAWL_METRICS_TOKEN as a bearer token.",
        { "www-authenticate": 'Bearer realm="pawl"' }
      )
    void run(read).then((waiting) => {
      show(meters, waiting)
      res.writeHead(200, {
        "content-type": contentType,
        "cache-control": "no-store",
        "x-content-type-options": "nosniff"
      })
      res.end(req.method === "HEAD" ? undefined : expose([...all(meters), ...own]))
    })
  }
  return listener
})
