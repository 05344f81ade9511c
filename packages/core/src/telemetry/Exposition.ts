/** Meters as text that Prometheus reads: its exposition format 0.0.4. */
import type { Histogram, Meter, Sample } from "./Meter.ts"

/** The `content-type` of the text. */
export const contentType = "text/plain; version=0.0.4; charset=utf-8"

const escaped = (value: string): string => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")

const labelled = (names: ReadonlyArray<string>, values: ReadonlyArray<string>): string =>
  names.length === 0 ? "" : `{${names.map((name, at) => `${name}="${escaped(values[at] ?? "")}"`).join(",")}}`

const sampleLines = (meter: Exclude<Meter, Histogram>): ReadonlyArray<string> =>
  meter.samples().map((sample: Sample) => `${meter.name}${labelled(meter.labels, sample.labels)} ${sample.value}`)

const histogramLines = ({
  bounds,
  name,
  read
}: {
  name: string
  bounds: ReadonlyArray<number>
  read: ReturnType<Histogram["read"]>
}) => {
  let count = 0
  const lines = read.buckets.map((inBucket, at) => {
    count += inBucket
    return `${name}_bucket{le="${bounds[at] ?? "+Inf"}"} ${count}`
  })
  return [...lines, `${name}_sum ${read.sum}`, `${name}_count ${count}`]
}

const linesOf = (meter: Meter): ReadonlyArray<string> => [
  `# HELP ${meter.name} ${meter.help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
  `# TYPE ${meter.name} ${meter.type}`,
  ...(meter.type === "histogram"
    ? histogramLines({ name: meter.name, bounds: meter.bounds, read: meter.read() })
    : sampleLines(meter))
]

/** Every meter with its help and type, one sample a line, a line break at the end. */
export const expose = (meters: ReadonlyArray<Meter>): string => `${meters.flatMap(linesOf).join("\n")}\n`
