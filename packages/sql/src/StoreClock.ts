/**
 * The clock of a program on a database that machines share: the database's time, so that nobody's lease, due time or
 * retention hangs on what another machine takes the time to be. It is measured when the program connects and every ten
 * seconds, beside all other work: no claim and no commit asks for it.
 *
 * On SQLite nothing is put in the place of the machine's clock, which all processes on the file have in common.
 */
import type { SqlError } from "effect/sql/SqlError"
import { Limits } from "@pawl/core/primitives/Limits"
import * as StoreTime from "@pawl/core/primitives/StoreTime"
import { Clock, Context, Effect, Layer } from "effect"
import { Database } from "./Database.ts"

const steadyMs = (machine: Clock.Clock): number => Number(machine.monotonicTimeNanosUnsafe()) / 1e6

const question = { sql: "SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms", params: [] }

const reading = (database: Database["Service"], machine: Clock.Clock) =>
  Effect.suspend(() => {
    const askedAtMs = steadyMs(machine)
    return Effect.map(database.query(question), ([row]): StoreTime.Reading => ({
      askedAtMs,
      answeredAtMs: steadyMs(machine),
      storeMs: Number(row?.["ms"])
    }))
  })

/** One after the other: the first may have to connect. */
const readings = Effect.fnUntraced(function* (database: Database["Service"], machine: Clock.Clock) {
  const all: [StoreTime.Reading, ...Array<StoreTime.Reading>] = [yield* reading(database, machine)]
  while (all.length < Limits.storeTimeReadings) all.push(yield* reading(database, machine))
  return all
})

/** Waits as the machine does, and tells another time. */
const shifted = (machine: Clock.Clock, offsetMs: () => number): Clock.Clock => {
  const millis = () => Math.floor(steadyMs(machine) + offsetMs())
  const nanos = () => machine.monotonicTimeNanosUnsafe() + BigInt(Math.round(offsetMs() * 1e6))
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: machine.monotonicTimeNanos,
    sleep: (duration) => machine.sleep(duration)
  }
}

const make = Effect.gen(function* () {
  const database = yield* Database
  if (database.dialect !== "pg") return Context.empty()
  const machine = yield* Clock.Clock
  let known = StoreTime.first(yield* readings(database, machine))
  const measure = Effect.gen(function* () {
    const before = known
    known = StoreTime.measured(before, yield* readings(database, machine))
    if (known.steady === 0) yield* Effect.logWarning("the database's clock moved", { byMs: Math.round(known.movedMs) })
    else if (StoreTime.isSteady(known) && !StoreTime.isSteady(before))
      yield* Effect.logInfo("the database's clock is steady again")
  })
  yield* Effect.suspend(() => Effect.delay(measure, StoreTime.nextMeasurementMs(known))).pipe(
    // A database that is away is asked again; until then the own steady clock goes on.
    Effect.ignore({ log: "Debug" }),
    Effect.catchDefect((defect) => Effect.logError("the database's clock was not measured", defect)),
    Effect.forever,
    Effect.forkScoped
  )
  return Context.make(
    Clock.Clock,
    shifted(machine, () => known.offsetMs)
  ).pipe(
    Context.add(
      StoreTime.StoreTimeMoved,
      Effect.sync(() => (StoreTime.isSteady(known) ? null : known.movedMs))
    )
  )
})

/**
 * Puts the database's time in the place of the machine's for all that is built on this layer and provided with it. Fails
 * with `SqlError` when the database does not say what time it is.
 */
export const layer: Layer.Layer<never, SqlError, Database> = Layer.effectContext(make)
