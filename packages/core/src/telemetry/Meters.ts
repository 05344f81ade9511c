/** Everything that Pawl counts. Who counts takes it from the context; without one of its own a program has the shared one. */
import { Context } from "effect"
import type { AppOverLimit } from "../app/AppRuntime.ts"
import { Counter, Gauge, Histogram, type Meter } from "./Meter.ts"

/** From a file out of memory to a request that waits for a person's patience, in seconds. */
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** From a process that waited for its app to one whose machine is busy, in seconds. */
const startBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** How an app's visitor fared; a bound that stopped the app stands by its name. */
export type AppOutcome = "ok" | "page" | "threw" | "unavailable" | AppOverLimit["limit"]

/** A set of meters of its own, all at 0. */
export const make = () => ({
  httpRequests: new Counter("pawl_http_requests_total", "Requests to the API, by endpoint and kind of answer.", [
    "method",
    "route",
    "status"
  ]),
  httpSeconds: new Histogram(
    "pawl_http_request_duration_seconds",
    "How long the API took until the head of its answer.",
    requestBounds
  ),
  appRequests: new Counter("pawl_app_requests_total", "Requests to apps, by how they ended.", ["outcome"]),
  appSeconds: new Histogram(
    "pawl_app_request_duration_seconds",
    "How long requests to apps took until the head of the answer.",
    requestBounds
  ),
  appKills: new Counter("pawl_app_kills_total", "Processes of apps that were killed over a bound, or crashed.", [
    "reason"
  ]),
  coldStarts: new Histogram(
    "pawl_app_cold_start_duration_seconds",
    "How long it took until a process had an app. Its count is the number of cold starts.",
    startBounds
  ),
  appProcesses: new Gauge("pawl_app_processes", "Processes that serve an app, and those that wait for one.", ["state"]),
  pointerReads: new Counter("pawl_pointer_reads_total", "Pointers that the router asked its cache for.", []),
  pointerLoads: new Counter(
    "pawl_pointer_loads_total",
    "Pointers that the router read from the store, because its cache did not have them.",
    []
  ),
  provenanceRefusals: new Counter(
    "pawl_provenance_refusals_total",
    "Rows that a router found not verified, by why. With `enforce` they are not served.",
    ["verdict"]
  ),
  builds: new Counter("pawl_builds_total", "Bundles that were asked for, by where they came from or why not.", [
    "outcome"
  ]),
  bundleAlerts: new Counter("pawl_bundle_alerts_total", "Projects whose bundles came over 80 % of their budget.", []),
  promotions: new Counter("pawl_promotions_total", "Promotions, by outcome and by who began them.", [
    "outcome",
    "trigger"
  ]),
  releases: new Counter("pawl_releases_total", "Releases that ended, by how.", ["outcome"]),
  spans: new Counter("pawl_trace_spans_total", "Spans of traces that were sent, or dropped.", ["outcome"]),
  commands: new Gauge("pawl_queue_commands", "Durable commands, by kind and state.", ["kind", "state"]),
  eventLag: new Gauge(
    "pawl_event_lag_events",
    "Events that the furthest behind of these consumer groups has not seen.",
    ["consumer"]
  ),
  consumers: new Gauge("pawl_event_consumers", "Consumer groups of events.", ["consumer"]),
  backlogReadable: new Gauge("pawl_backlog_readable", "1 when the store answered about queue and events, else 0.", [])
})

/** A set of meters, all at zero. */
export type MeterSet = ReturnType<typeof make>

/** The meters of a program. Their names are those that Prometheus sees. */
export const Meters = Context.Reference("@pawl/core/telemetry/Meters", { defaultValue: make })

/** In the order in which they are shown. */
export const all = (meters: MeterSet): ReadonlyArray<Meter> => Object.values(meters)
