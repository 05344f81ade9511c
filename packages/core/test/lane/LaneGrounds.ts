/**
 * A lane of three on its way: the stores as they were after each commit of the real program. From any of them it can go
 * on, as often as wanted, under any order of what happens.
 */
import { Context, Effect } from "effect"
import { makeMemoryStore } from "@pawl/adapters-memory/MemoryLedger"
import { makeMemoryRepositories } from "@pawl/adapters-memory/MemoryRepositories"
import { Repos } from "@pawl/adapters-memory/MemoryRepository"
import type { MemoryState } from "@pawl/adapters-memory/MemoryState"
import * as Policies from "@pawl/core/approval/Policies"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { PolicyFields } from "@pawl/core/model/Policy"
import { Settings, type SettingsShape } from "@pawl/core/primitives/Settings"
import { Repositories } from "@pawl/core/project/Repositories"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { laneOn, racing } from "../kit/LaneScenes.ts"
import { layer, person, settle } from "../kit/MemoryPawl.ts"
import { askedFor, newProject } from "../kit/Scenes.ts"
import { inVirtualTime } from "../kit/VirtualTime.ts"

/** Stores at one moment, ms since 1970. */
export interface Ground {
  readonly projectId: string
  /** In the order in which they entered. */
  readonly changes: ReadonlyArray<string>
  readonly now: number
  readonly state: MemoryState
  readonly repos: Repos
}

/** Without apps: what is short is digested at once, and nothing waits for another thread. */
export const settings: SettingsShape = {
  environment: "production",
  appsDomain: null,
  paused: false,
  fixturesEnabled: false,
  buildsPerDay: 60,
  sandboxMsPerMonth: 18_000_000,
  smokeRetryMs: 0,
  appUrl: (host) => host
}

/** What a command of the tests comes to: that of a tree with a broken file fails. */
export const exitOf = (files: ReadonlyMap<string, { readonly content: Uint8Array }>): number =>
  new TextDecoder().decode(files.get("result.txt")?.content).trim() === "broken" ? 1 : 0

/**
 * A sandbox whose jobs end at once. `held` counts those that were started and not given back; `isFlaky` is asked whether
 * the next job fails whatever it runs on.
 */
export const sandboxOf = (held: { now: number; most: number }, isFlaky = () => false): Sandbox["Service"] => {
  const codes = new Map<string, number>()
  const isolation = { name: "memory", version: "1", guarantees: [] }
  return {
    isolation: Effect.succeed(isolation),
    start: ({ files, id }) =>
      Effect.sync(() => {
        codes.set(id, isFlaky() ? 1 : exitOf(files))
        held.now++
        held.most = Math.max(held.most, held.now)
        return { id }
      }),
    poll: ({ id }) =>
      Effect.sync(() => ({
        _tag: "Finished" as const,
        result: {
          outcome: { _tag: "Exited" as const, code: codes.get(id) ?? 0 },
          output: new Uint8Array(),
          outputTruncated: false,
          isolation,
          startedAtMs: 0,
          finishedAtMs: 1
        }
      })),
    cancel: () => Effect.sync(() => void held.now--)
  }
}

/** A Project with one generation that was landed, and three Changes that enter; then all that follows, commit by commit. */
const way = (edits: ReadonlyArray<Record<string, string>>, fields: Partial<PolicyFields>) =>
  Effect.gen(function* () {
    const store = makeMemoryStore()
    const repos = new Repos()
    const grounds: Array<Ground> = []
    const ledger = Context.get(store.services, Ledger)
    let place: Pick<Ground, "projectId" | "changes"> | null = null
    const kept = (now: number) => {
      if (place !== null) grounds.push({ ...place, now, state: store.dump(), repos: new Repos(repos) })
    }
    const watched: Ledger["Service"] = {
      commit: (commit) =>
        Effect.tap(ledger.commit(commit), () =>
          Effect.clockWith((clock) => Effect.sync(() => kept(clock.currentTimeMillisUnsafe())))
        )
    }
    const services = store.services.pipe(
      Context.add(Ledger, watched),
      Context.add(Repositories, makeMemoryRepositories(repos)),
      Context.add(Sandbox, sandboxOf({ now: 0, most: 0 }))
    )
    yield* Effect.gen(function* () {
      const { id: projectId } = yield* newProject()
      yield* Policies.change(person, projectId, { ...laneOn, ...fields })
      yield* askedFor(projectId, "old", { "old.txt": "old" })
      yield* settle
      const changes = yield* racing(projectId, edits)
      place = { projectId, changes }
      yield* settle
    }).pipe(Effect.provide(services))
    return grounds
  }).pipe(Effect.provide(layer), Effect.provideService(Settings, settings))

const edit = (name: string, more: Record<string, string> = {}) => ({ [`src/${name}.txt`]: name, ...more })
const bad = { "result.txt": "broken" }
const clash = (name: string) => edit(name, { "both.txt": name })

/** Three that land, one bad in front, one bad in the middle, and two that do not merge. */
const races: ReadonlyArray<ReadonlyArray<Record<string, string>>> = [
  [edit("a"), edit("b"), edit("c")],
  [edit("a", bad), edit("b"), edit("c")],
  [edit("a"), edit("b", bad), edit("c")],
  [clash("a"), clash("b"), edit("c")]
]

/** All of them, under a Policy that says this too. */
export const laneGrounds = async (fields: Partial<PolicyFields> = {}): Promise<ReadonlyArray<Ground>> => {
  const found: Array<Ground> = []
  for (const [n, edits] of races.entries()) found.push(...(await inVirtualTime(n + 1, way(edits, fields))))
  return found
}
