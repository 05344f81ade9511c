/** How long what expires is kept, and that nothing of a preview is left when it ends. */
import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { AppData } from "@pawl/core/app/AppData"
import { previewChannel } from "@pawl/core/app/Previews"
import { EventLog } from "@pawl/core/event/EventLog"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Settings, type SettingsShape } from "@pawl/core/primitives/Settings"
import * as Time from "@pawl/core/primitives/Time"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { person, type run, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject } from "../kit/Scenes.ts"
import { candidateHolds, hostShows, keysUnder, play, runOne } from "../kit/UpkeepScenes.ts"

let count = 0
const send = (kind: "forks.sweep" | "retention.sweep") =>
  Effect.flatMap(Ledger, (ledger) =>
    ledger.commit({ name: "test", projectId: null, commands: [{ kind, id: `${kind}:bound:${++count}`, payload: {} }] })
  )
const sweep = Effect.andThen(Effect.andThen(send("forks.sweep"), send("retention.sweep")), settle)

/** A promoted Candidate and one that can still ship, all at one moment; so is all that was stored for them. */
const scene = Effect.gen(function* () {
  const project = yield* newProject()
  const promoted = yield* candidateOf(project.id, "promoted", { "a.txt": "a" })
  yield* Promotions.promote(person, promoted.id)
  yield* settle
  const open = yield* candidateOf(project.id, "open", { "b.txt": "b" })
  yield* (yield* ObjectStore).put("tmp/bound", new Uint8Array())
  return { project, promoted, open }
})
type Scene = Effect.Success<typeof scene>
type Services = Effect.Services<Parameters<typeof run>[0]>

/** By what is kept: whether it is still there. */
const kept: Readonly<Record<string, (scene: Scene) => Effect.Effect<boolean, unknown, Services>>> = {
  "forks of what has ended": ({ promoted }) => candidateHolds(promoted),
  events: ({ project }) =>
    Effect.flatMap(EventLog, (log) => log.read(project.id, 0, 1)).pipe(
      Effect.as(true),
      Effect.catchTag("EventsExpired", () => Effect.succeed(false))
    ),
  evidence: () => Effect.map(keysUnder("evidence/"), (keys) => keys.length > 0),
  "temporary objects": () => Effect.map(keysUnder("tmp/bound"), (keys) => keys.length > 0),
  "bundles of previews": ({ open }) =>
    Effect.map(keysUnder(`app-previews/${open.projectId}/${open.commit}/`), (keys) => keys.length > 0),
  previews: ({ open, project }) =>
    Effect.map(hostShows(project.label, previewChannel(open)), (shown) => shown === "live")
}

const bounds: ReadonlyArray<readonly [what: string, environment: SettingsShape["environment"], days: number]> = [
  ["forks of what has ended", "development", 7],
  ["forks of what has ended", "production", 30],
  ["events", "development", 30],
  ["events", "production", 365],
  ["evidence", "development", 30],
  ["temporary objects", "development", 7],
  ["temporary objects", "production", 7],
  ["bundles of previews", "production", 7],
  ["previews", "production", 7]
]

describe("What expires", () => {
  it.each(bounds)("is kept for its days and no longer: %s in %s, %i days", (what, environment, days) =>
    play(
      Effect.gen(function* () {
        const made = yield* scene
        const isKept = kept[what]!(made)
        const settings = yield* Settings
        const sweeping = Effect.provideService(sweep, Settings, { ...settings, environment })
        yield* TestClock.adjust(days * Time.dayMs - 1)
        yield* sweeping
        expect(yield* isKept).toBe(true)
        yield* TestClock.adjust(2)
        yield* sweeping
        expect(yield* isKept).toBe(false)
      })
    )
  )
})

/** A worker whose `deadly`th call of the data store, or commit, is its last. */
const dyingAt = (deadly: number, seen: Array<string>) =>
  Effect.gen(function* () {
    const [data, ledger] = [yield* AppData, yield* Ledger]
    const counted = <A, E, R>(name: string, call: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        if (seen.length >= deadly) return Effect.die(new Error("the worker is dead"))
        seen.push(name)
        return seen.length === deadly ? Effect.andThen(call, Effect.die(new Error("the worker died"))) : call
      })
    return <A, E, R>(work: Effect.Effect<A, E, R>) =>
      work.pipe(
        Effect.provideService(AppData, {
          ...data,
          wipe: (store) => counted(`wipe ${store.channel}`, data.wipe(store))
        }),
        Effect.provideService(Ledger, { ...ledger, commit: (commit) => counted(commit.name, ledger.commit(commit)) })
      )
  })

describe("A preview that is over", () => {
  it("takes no write any more before its data is wiped, so that nothing of it is left", () =>
    play(
      Effect.gen(function* () {
        const { open, project } = yield* scene
        const channel = previewChannel(open)
        const { incarnation } = (yield* demand("pointer", `${project.id}/${channel}`)).record
        const store = { project: project.id, channel, incarnation }
        const data = yield* AppData
        yield* data.put(store, "k", "v")
        yield* TestClock.adjust("7 days")
        const refused: Array<string> = []
        const late = Effect.matchEffect(data.put(store, "late", "v"), {
          onSuccess: () => Effect.die(new Error("a preview that is over was written")),
          onFailure: (problem) => Effect.sync(() => void refused.push(problem._tag))
        })
        const racing: typeof data = {
          ...data,
          wipe: (of) =>
            of.channel === channel ? late.pipe(Effect.andThen(data.wipe(of)), Effect.tap(late)) : data.wipe(of)
        }
        yield* send("retention.sweep")
        while (yield* Effect.provideService(runOne("retention.sweep"), AppData, racing)) continue
        expect(refused).toEqual(["DataRefused", "DataRefused"])
        expect(yield* hostShows(project.label, channel)).toBe("none")
        expect(yield* data.list({ project: project.id, channel }, {})).toEqual({ keys: [], complete: true })
      })
    ))

  it("keeps its bundle for as long as its row shows it, also where that was written a while after the build", () =>
    play(
      Effect.gen(function* () {
        const { open, project } = yield* scene
        const channel = previewChannel(open)
        const bundle = keysUnder(`app-previews/${project.id}/${open.commit}/`)
        const before = yield* bundle
        const row = yield* demand("pointer", `${project.id}/${channel}`)
        const createdAt = Time.fromMillis(Time.toMillis(row.record.createdAt) + 60_000)
        const later = Commit.update("pointer", row, { createdAt })
        yield* (yield* Ledger).commit({ name: "test", projectId: project.id, writes: [later] })
        yield* TestClock.adjust("7 days")
        yield* sweep
        expect(yield* hostShows(project.label, channel)).toBe("live")
        expect(yield* bundle).toEqual(before)
        yield* TestClock.adjust("1 days")
        yield* sweep
        expect(yield* hostShows(project.label, channel)).toBe("none")
        expect(yield* bundle).toEqual([])
      })
    ))

  it("is gone with its data wherever the sweep dies, once the next one has run", async () => {
    for (let deadly = 1, died = true; died; deadly++) {
      await play(
        Effect.gen(function* () {
          const { open, project } = yield* scene
          const channel = previewChannel(open)
          const data = yield* AppData
          yield* data.put({ project: project.id, channel }, "k", "v")
          yield* TestClock.adjust("7 days")
          yield* send("retention.sweep")
          const seen: Array<string> = []
          const worker = yield* dyingAt(deadly, seen)
          for (let more = true; more;)
            more = yield* worker(runOne("retention.sweep")).pipe(Effect.catchCause(() => Effect.succeed(false)))
          died = seen.length === deadly
          // Half way it serves nothing, and nothing that is wiped already.
          expect(["live", "removed", "none"]).toContain(yield* hostShows(project.label, channel))
          if (seen.includes(`wipe ${channel}`)) expect(yield* hostShows(project.label, channel)).not.toBe("live")
          yield* TestClock.adjust("1 days")
          yield* sweep
          expect(yield* hostShows(project.label, channel)).toBe("none")
          expect(yield* data.list({ project: project.id, channel }, {})).toEqual({ keys: [], complete: true })
        }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
      )
      expect(deadly).toBeLessThan(100)
    }
  })
})
