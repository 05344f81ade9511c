/**
 * A worker with a short lease that says what it does, line by line. In the second of its two steps it waits for a line
 * on standard input, so that it can be frozen there.
 */
import { once } from "node:events"
import { Effect, Layer, Logger, Redacted, Schema } from "effect"
import * as PgClient from "@pawl/adapters-pg/PgClient"
import { Commands } from "@pawl/core/work/Commands"
import * as Commit from "@pawl/core/ledger/Commit"
import * as JournalStep from "@pawl/core/work/JournalStep"
import * as Processes from "@pawl/core/work/Processes"
import { Records } from "@pawl/core/ledger/Records"
import * as SqlStores from "@pawl/sql/SqlStores"
import { changeId, commitOf, event } from "@pawl/testing/tools/StoreFixtures"

const [url = "", schema = "", name = "", lease = ""] = process.argv.slice(2)
const say = (text: string) => Effect.sync(() => void process.stdout.write(`${text}\n`))

const one = JournalStep.make("one", Schema.Null)
const two = JournalStep.make("two", Schema.Null)

/** Moves the Change on, and says so in an event: what must happen once. */
const effect = Effect.gen(function* () {
  const stored = yield* (yield* Records).get("change", changeId())
  if (stored._tag === "None") return yield* Effect.die("there is no Change")
  const { value } = stored
  const write = Commit.update("change", value, { ...value.record, spentUsd: value.record.spentUsd + 1 })
  yield* say("working")
  yield* Effect.promise(() => once(process.stdin, "data"))
  yield* Processes.commitStep(two, commitOf({ writes: [write], events: [event({ by: name })] }), null)
})

const handler = () =>
  Processes.step(one, Effect.as(say("one"), null)).pipe(
    Effect.andThen(effect),
    Effect.tap(() => say("done")),
    Effect.tapError((problem) => say(`failed ${problem._tag}`))
  )

const program = Effect.gen(function* () {
  const commands = yield* Commands
  while (true) {
    const options = { worker: name, kinds: ["agent.wake"], limit: 1, leaseMs: Number(lease) } as const
    for (const leased of yield* commands.claim(options)) {
      yield* say("claimed")
      yield* Processes.execute(leased, { "agent.wake": handler })
      yield* say("executed")
    }
    yield* commands.awaitWork(1000)
  }
})

Effect.runFork(
  program.pipe(
    Effect.provide(Layer.provide(SqlStores.layer, PgClient.layer({ url: Redacted.make(url), schema }))),
    // Its standard output is what the test reads.
    Effect.provide(Logger.layer([]))
  )
)
