/** The queue of durable work in memory. */
import { Effect } from "effect"
import { listening, type Signals, work } from "@pawl/core/ledger/Signals"
import { LeaseLost } from "@pawl/core/ledger/Ledger"
import { finish } from "./MemoryCommit.ts"
import { type CommandRow, fresh, type MemoryState } from "./MemoryState.ts"
import { makeUlid } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import { fromMillis, nowMillis, toMillis } from "@pawl/core/primitives/Time"
import type { Command, DeadLetter, GivenBack, Lease, LeasedCommand } from "@pawl/core/model/Command"
import { type Claim, type Commands, DeadLetterMissing, type LetterPage } from "@pawl/core/work/Commands"

const scopeOf = (row: CommandRow): string => row.command.projectId ?? ""

/** Due commands in the order they are served: Projects in turn, the longest unserved first, each by due time. */
const inTurn = (state: MemoryState, { except = [], kinds, limit }: Claim, now: number): ReadonlyArray<CommandRow> => {
  const isExcepted = ({ kind, projectId }: Command) =>
    except.some((each) => each.projectId === projectId && each.kinds.includes(kind))
  const due = Array.from(state.commands.values()).filter(
    (row) => row.readyAt <= now && kinds.includes(row.command.kind) && !isExcepted(row.command)
  )
  due.sort((a, b) => a.readyAt - b.readyAt || a.position - b.position)
  const byProject = new Map<string, Array<CommandRow>>()
  for (const row of due) {
    const rows = byProject.get(scopeOf(row))
    if (rows === undefined) byProject.set(scopeOf(row), [row])
    else rows.push(row)
  }
  // The sort is stable, so Projects that were never served stand by their oldest due command.
  const queues = Array.from(byProject).sort(([a], [b]) => (state.turns.get(a) ?? 0) - (state.turns.get(b) ?? 0))
  const served: Array<CommandRow> = []
  for (let round = 0; served.length < Math.min(limit, due.length); round++)
    for (const [, rows] of queues) if (served.length < limit && rows[round] !== undefined) served.push(rows[round]!)
  return served
}

const lease = (state: MemoryState, row: CommandRow, token: string, readyAt: number): LeasedCommand => {
  // Whoever holds it still is gone: that try goes on as this one.
  const died = row.token === null ? 0 : 1
  const command: Command = { ...row.command, attempts: row.command.attempts + 1 - died }
  const deaths = row.deaths + died
  state.commands.set(command.id, { ...row, command, token, readyAt, deaths })
  state.turns.set(scopeOf(row), ++state.tick)
  return { command, lease: { commandId: command.id, token }, deaths, outage: row.outage }
}

const held = (state: MemoryState, leased: Lease, now: number): CommandRow | LeaseLost => {
  const row = state.commands.get(leased.commandId)
  if (row === undefined || row.token !== leased.token || row.readyAt <= now)
    return new LeaseLost({ commandId: leased.commandId })
  return row
}

const bury = (state: MemoryState, command: Command, now: number): "dead" => {
  state.commands.delete(command.id)
  // Put anew, so that the letters stand in the order of their deaths.
  state.deadLetters.delete(command.id)
  state.deadLetters.set(command.id, { ...command, diedAt: fromMillis(now) })
  return "dead"
}

const uncounted = (command: Command): Command => ({ ...command, attempts: Math.max(0, command.attempts - 1) })

/** Who stops says nothing about the machinery; who waits for something else has found it there. */
const outageAfter = (
  row: CommandRow,
  why: GivenBack,
  now: number,
  readyAt: number
): Pick<CommandRow, "outage" | "waitedUntil"> => {
  const { outage, waitedUntil } = row
  if (why === "stopped") return { outage, waitedUntil }
  if (why === "waits") return { outage: null, waitedUntil }
  return { outage: { sinceMs: outage?.sinceMs ?? now, waits: (outage?.waits ?? 0) + 1 }, waitedUntil: readyAt }
}

const ofKinds = (state: MemoryState, projectId: string, kinds: ReadonlyArray<string>): ReadonlyArray<CommandRow> =>
  Array.from(state.commands.values()).filter(
    ({ command }) => command.projectId === projectId && kinds.includes(command.kind)
  )

const workableAt = ({ command, waitedUntil }: CommandRow): number =>
  Math.max(toMillis(command.createdAt), waitedUntil ?? 0)

type DeadLetters = Pick<Commands["Service"], "deadLetters" | "oldLetters" | "deadLetter" | "retry" | "dismiss">

const names = (letter: DeadLetter, texts: ReadonlyArray<string>): boolean => {
  const said = `${letter.id}\n${JSON.stringify(letter.payload)}`
  return texts.some((text) => said.includes(text))
}

/** Letters stand in the order of their deaths. */
const pageOf = (letters: ReadonlyArray<DeadLetter>, { after, limit = Limits.pageSize, naming }: LetterPage) => {
  const place = after === undefined ? -1 : letters.findIndex(({ id }) => id === after.id)
  const rest =
    after !== undefined && place < 0 ? letters.filter(({ diedAt }) => diedAt >= after.diedAt) : letters.slice(place + 1)
  const asked = naming === undefined ? rest : rest.filter((letter) => names(letter, naming))
  return asked.slice(0, Math.min(limit, Limits.pageSize))
}

const makeDeadLetters = (state: MemoryState, put: (row: CommandRow) => void): DeadLetters => {
  const letter = (id: string) =>
    Effect.suspend(() => {
      const dead = state.deadLetters.get(id)
      return dead === undefined ? Effect.fail(new DeadLetterMissing({ id })) : Effect.succeed(dead)
    })

  return {
    deadLetters: (projectId, page = {}) =>
      Effect.sync(() =>
        pageOf(
          Array.from(state.deadLetters.values()).filter((each) => each.projectId === projectId),
          page
        )
      ),
    oldLetters: (before, limit) =>
      Effect.sync(() =>
        Array.from(state.deadLetters.values())
          .filter(({ diedAt }) => diedAt < before)
          .slice(0, limit)
      ),
    deadLetter: letter,
    retry: (id) =>
      Effect.zipWith(letter(id), nowMillis, (dead, now) => {
        state.deadLetters.delete(id)
        if (state.commands.has(id)) return
        const { diedAt: _, ...command } = dead
        put({
          ...fresh,
          command: { ...command, attempts: 0, dueAt: fromMillis(now) },
          readyAt: now,
          position: ++state.position
        })
      }),
    dismiss: (id) =>
      Effect.map(letter(id), () => {
        state.deadLetters.delete(id)
        if (!state.commands.has(id)) state.journal.delete(id)
      })
  }
}

/** `Commands` over a store in memory. `signals` wake those who wait for work. */
export const make = (state: MemoryState, signals: Signals): Commands["Service"] => {
  // Listens from the last claim on, so that what is sent between a claim and the wait after it is not missed.
  const ears = listening(signals, work)

  const withHeld = <A>(leased: Lease, change: (row: CommandRow, now: number) => A): Effect.Effect<A, LeaseLost> =>
    Effect.flatMap(nowMillis, (now) =>
      Effect.suspend(() => {
        const row = held(state, leased, now)
        return row instanceof LeaseLost ? Effect.fail(row) : Effect.succeed(change(row, now))
      })
    )
  const put = (row: CommandRow) => {
    state.commands.set(row.command.id, row)
    signals.notify(work)
  }
  return {
    ...makeDeadLetters(state, put),
    claim: (asked) =>
      Effect.gen(function* () {
        const token = `${asked.worker}:${yield* makeUlid}`
        const now = yield* nowMillis
        ears.anew()
        return inTurn(state, asked, now).map((row) => lease(state, row, token, now + asked.leaseMs))
      }),
    renew: (leased, leaseMs) =>
      withHeld(leased, (row, now) => void state.commands.set(leased.commandId, { ...row, readyAt: now + leaseMs })),
    finish: (leased) =>
      withHeld(leased, (_, now) => {
        if (finish(state, leased.commandId, now)) signals.notify(work)
      }),
    fail: (leased, problem, delayMs) =>
      withHeld(leased, (row, now): "retried" | "dead" => {
        const command: Command = { ...row.command, lastProblem: problem }
        if (delayMs === null || command.attempts >= command.maxAttempts) return bury(state, command, now)
        put({
          ...row,
          command: { ...command, dueAt: fromMillis(now + delayMs) },
          token: null,
          readyAt: now + delayMs,
          outage: null
        })
        return "retried"
      }),
    release: (leased, delayMs, why = "waits") =>
      withHeld(leased, (row, now) => {
        const readyAt = now + delayMs
        const command = { ...uncounted(row.command), dueAt: fromMillis(readyAt) }
        put({ ...row, ...outageAfter(row, why, now, readyAt), command, token: null, readyAt })
      }),
    releaseAll: Effect.map(nowMillis, (now) => {
      const all = Array.from(state.commands.values()).filter((row) => row.token !== null)
      for (const row of all)
        put({ ...row, command: uncounted(row.command), token: null, readyAt: now, deaths: row.deaths + 1 })
      return all.length
    }),
    workableSince: (projectId, kinds) =>
      Effect.sync(() => {
        const asked = ofKinds(state, projectId, kinds)
        return asked.length === 0 ? null : Math.max(...asked.map(workableAt))
      }),
    awaitWork: (timeoutMs) =>
      ears.during((armed) =>
        Effect.flatMap(nowMillis, (now) =>
          Effect.suspend(() => {
            const next = Array.from(state.commands.values(), (row) => row.readyAt).filter((at) => at > now)
            const waitMs = next.reduce((least, at) => Math.min(least, at - now), timeoutMs)
            return Effect.asVoid(Effect.timeoutOption(armed.wait, waitMs))
          })
        )
      )
  }
}
