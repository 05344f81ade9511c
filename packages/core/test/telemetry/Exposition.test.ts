import { describe, expect, it } from "vitest"
import { expose } from "@pawl/core/telemetry/Exposition"
import { Counter, Gauge, Histogram } from "@pawl/core/telemetry/Meter"
import { all, make } from "@pawl/core/telemetry/Meters"

describe("The text of metrics", () => {
  it("is that of Prometheus 0.0.4, with what is not plain escaped", () => {
    const requests = new Counter("a_total", "With a \\ and\na line.", ["way", "how"])
    requests.add("up", 'he said "no"\n\\')
    requests.add("up", 'he said "no"\n\\')
    requests.add("down", "")
    const state = new Gauge("b", "Now.", [])
    state.from(() => [{ labels: [], value: -0.5 }])
    expect(expose([requests, state])).toBe(
      [
        "# HELP a_total With a \\\\ and\\na line.",
        "# TYPE a_total counter",
        'a_total{way="up",how="he said \\"no\\"\\n\\\\"} 2',
        'a_total{way="down",how=""} 1',
        "# HELP b Now.",
        "# TYPE b gauge",
        "b -0.5",
        ""
      ].join("\n")
    )
  })

  it("has cumulative buckets, with a value on a bound below it", () => {
    const times = new Histogram("c_seconds", "How long.", [0.1, 1])
    for (const seconds of [0.05, 0.1, 0.5, 2, 3]) times.observe(seconds)
    expect(expose([times]).split("\n").slice(2)).toEqual([
      'c_seconds_bucket{le="0.1"} 2',
      'c_seconds_bucket{le="1"} 3',
      'c_seconds_bucket{le="+Inf"} 5',
      "c_seconds_sum 5.65",
      "c_seconds_count 5",
      ""
    ])
  })

  it("names every meter once, as Prometheus wants names: base units, and counters ending in _total", () => {
    const meters = all(make())
    expect(new Set(meters.map((meter) => meter.name)).size).toBe(meters.length)
    for (const { name, type } of meters) {
      expect(name).toMatch(/^pawl_[a-z]+(_[a-z]+)*$/)
      expect(name.endsWith("_total")).toBe(type === "counter")
      expect(name).not.toMatch(/_(ms|millis|kib|mib|minutes)(_|$)/)
      if (type === "histogram") expect(name).toMatch(/_seconds$/)
    }
  })

  it("has no label for a Project, an id, a host or a path that somebody wrote", () => {
    const labels = new Set(all(make()).flatMap((meter) => meter.labels))
    expect([...labels].sort()).toEqual([
      "consumer",
      "kind",
      "method",
      "outcome",
      "reason",
      "route",
      "state",
      "status",
      "trigger",
      "verdict"
    ])
  })
})
