/** How soon the router of another process knows that a pointer moved. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { PointerSignal } from "@pawl/core/app/PointerSignal"
import { insert, update } from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { pointerKey } from "@pawl/core/model/Entities"
import type { Pointer } from "@pawl/core/model/Pointer"
import { RouterLimits } from "@pawl/router/RouterLimits"
import { Effect, ManagedRuntime, Option } from "effect"
import * as PostgresServer from "../../packages/adapters-pg/test/PostgresServer.ts"
import { type Bench, figure, valueAtMost } from "../Figure.ts"
import { routerOn } from "../parts/PointerWatcher.ts"
import { lastly, median } from "../Rounds.ts"

const program = fileURLToPath(new URL("../parts/PointerWatcher.ts", import.meta.url))
const [schema, label] = ["pawl", "seen"]
/** Moves in a round; of all rounds the 99th percentile is told. */
const each = 100
const targetMs = 50

const commitOf = (n: number): string => n.toString(16).padStart(40, "0")
const at = "2030-01-01T00:00:00.000Z"

const pointer = (n: number): Pointer => ({
  projectId: "proj_00000000-0000-4000-8000-000000000001",
  slug: label,
  label,
  channel: "production",
  incarnation: 1,
  commit: commitOf(n),
  generation: n,
  bundleKey: null,
  bundleDigest: null,
  status: "live",
  reason: null,
  candidateId: null,
  changeId: null,
  createdAt: at,
  updatedAt: at
})

/** Commits the nth place of the pointer, then says that it moved; answers when it was committed, ms since 1970. */
const moved = Effect.fnUntraced(function* (n: number) {
  const { projectId, channel } = pointer(n)
  const known = yield* (yield* Records).get("pointer", pointerKey(projectId, channel))
  const write = Option.match(known, {
    onNone: () => insert("pointer", pointer(n)),
    onSome: (stored) => update("pointer", stored, pointer(n))
  })
  yield* (yield* Ledger).commit({ name: "Bench.move", projectId, writes: [write] })
  const committedMs = performance.timeOrigin + performance.now()
  yield* (yield* PointerSignal).moved(label)
  return committedMs
})

export const bench: Bench = async ({ rounds, say }) => {
  const postgres = await PostgresServer.start()
  const own = ManagedRuntime.make(routerOn(postgres.url, schema))
  const times: Array<number> = []
  const measure = async () => {
    await own.runPromise(moved(0))
    const other = fork(program, [postgres.url, schema, label], { execArgv: ["--conditions=pawl-source"] })
    const said = async () => (await once(other, "message"))[0] as unknown
    try {
      await said()
      for (let n = 1; n <= each * (rounds + 1); n++) {
        if (n % each === 1) say(`round ${Math.floor(n / each)} of ${rounds}`)
        const watching = said()
        other.send(commitOf(n))
        await watching
        const seen = said()
        const committedMs = await own.runPromise(moved(n))
        const { seenMs } = (await seen) as { readonly seenMs: number }
        if (n > each) times.push(Math.max(0, seenMs - committedMs))
      }
    } finally {
      const exited = once(other, "exit")
      other.kill("SIGKILL")
      await exited
    }
  }
  await lastly(measure(), async () => {
    await own.dispose()
    await postgres.stop()
  })
  const sorted = times.toSorted((a, b) => a - b)
  const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Infinity
  return {
    figures: [
      figure({
        name: "pointer-seen-p99",
        value: p99,
        unit: "ms",
        floor: "a router that was cut off",
        floorValue: RouterLimits.pointerCacheMs,
        ratio: p99 / RouterLimits.pointerCacheMs,
        target: valueAtMost(targetMs, "ms")
      })
    ],
    notes: [`${times.length} moves; their median is ${median(times).toFixed(1)} ms.`]
  }
}
