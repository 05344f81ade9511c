/**
 * What is counted while Pawl works: plain numbers in memory, of one process, since it started. To count costs an
 * addition; nothing is sent anywhere. `Exposition` writes them down when somebody asks.
 */

/** One value of a metric, for one choice of its labels. */
export interface Sample {
  /** In the order of the metric's label names. */
  readonly labels: ReadonlyArray<string>
  readonly value: number
}

interface Named {
  /** As Prometheus knows it: `pawl_…`, in base units. */
  readonly name: string
  readonly help: string
  readonly labels: ReadonlyArray<string>
}

/** Only grows. Labels are few and known beforehand: never an id, a host or a path that a caller wrote. */
export class Counter implements Named {
  readonly type = "counter"
  private readonly cells = new Map<string, { readonly labels: ReadonlyArray<string>; value: number }>()
  readonly name: string
  readonly help: string
  readonly labels: ReadonlyArray<string>

  constructor(name: string, help: string, labels: ReadonlyArray<string>) {
    this.name = name
    this.help = help
    this.labels = labels
  }

  /** Counts one more, for these values of the labels. */
  add(...labels: ReadonlyArray<string>): void {
    const key = labels.length === 1 ? labels[0]! : labels.join("\0")
    const cell = this.cells.get(key)
    if (cell === undefined) this.cells.set(key, { labels, value: 1 })
    else cell.value++
  }

  samples(): ReadonlyArray<Sample> {
    return Array.from(this.cells.values())
  }
}

/** How often something took at most so long. In seconds. */
export class Histogram implements Named {
  readonly type = "histogram"
  readonly labels = []
  readonly name: string
  readonly help: string
  /** Upper bounds, growing. */
  readonly bounds: ReadonlyArray<number>
  private readonly buckets: Float64Array
  private total = 0

  constructor(name: string, help: string, bounds: ReadonlyArray<number>) {
    this.name = name
    this.help = help
    this.bounds = bounds
    this.buckets = new Float64Array(bounds.length + 1)
  }

  observe(seconds: number): void {
    let at = 0
    while (at < this.bounds.length && seconds > this.bounds[at]!) at++
    this.buckets[at]!++
    this.total += seconds
  }

  /** How many fell in each bucket, the last above all bounds, and the sum of all in seconds. */
  read(): { readonly buckets: ReadonlyArray<number>; readonly sum: number } {
    return { buckets: Array.from(this.buckets), sum: this.total }
  }
}

/** A state, read when somebody asks. Without a source it has no samples. */
export class Gauge implements Named {
  readonly type = "gauge"
  readonly name: string
  readonly help: string
  readonly labels: ReadonlyArray<string>
  private source: () => ReadonlyArray<Sample> = () => []

  constructor(name: string, help: string, labels: ReadonlyArray<string>) {
    this.name = name
    this.help = help
    this.labels = labels
  }

  /** Where the values come from. A later source takes the place of an earlier one. */
  from(source: () => ReadonlyArray<Sample>): void {
    this.source = source
  }

  samples(): ReadonlyArray<Sample> {
    return this.source()
  }
}

/** What a set of meters holds. */
export type Meter = Counter | Histogram | Gauge
