/**
 * A goal is worked by agents whose model is a scripted provider over HTTP, while the server is killed with SIGKILL again
 * and again: as a call arrives, as its answer is sent, a moment later, and at every named place of a turn.
 */
import { cpSync } from "node:fs"
import { join } from "node:path"
import { seededDraw } from "@pawl/testing/tools/SeededScheduler"
import { rounds, seed as chance, slice } from "@pawl/testing/Depth"
import { type Asked, calls, type Script, type Turn } from "@pawl/testing/provider/Script"
import * as ScriptedProvider from "@pawl/testing/provider/ScriptedProvider"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ModelCall } from "@pawl/core/model/ModelCall"
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"
import * as Flow from "../e2e/kit/Flow.ts"
import { type ServerProcess, startServer } from "../e2e/kit/ServerProcess.ts"
import { crashing, newFolder, passedIn, removeFolders } from "./Crashing.ts"

const keys = ["alpha", "beta", "gamma"] as const
const turnsOfTask = 4

/** One agent at work at a time, or two: a kill may repeat one call of each that is on its way. */
type AtOnce = 1 | 2
const dependsOn: Readonly<Record<AtOnce, Readonly<Record<(typeof keys)[number], ReadonlyArray<string>>>>> = {
  1: { alpha: [], beta: ["alpha"], gamma: ["beta"] },
  2: { alpha: [], beta: [], gamma: ["alpha", "beta"] }
}

const tasksOf = (atOnce: AtOnce) =>
  keys.map((key) => ({
    key,
    title: key,
    kind: "implement",
    complexity: "small",
    instructions: `Write ${key}.txt.`,
    dependsOn: dependsOn[atOnce][key],
    reads: [],
    writes: [`${key}.txt`]
  }))

/** Who asks, and in which turn, stands in the name of the call. */
const script =
  (atOnce: AtOnce): Script =>
  ({ callId }: Asked): Turn => {
    const [, key, turn] = /^mc_run_tsk_chg_[0-9a-f-]{36}_([a-z0-9-]+)_\d+_(\d+)_\d+$/.exec(callId ?? "") ?? []
    if (key === undefined) return calls("propose_plan", { tasks: tasksOf(atOnce) })
    switch (Number(turn)) {
      case 1:
        return calls("list", {})
      case 2:
        return calls("write", { path: `${key}.txt`, text: `${key}\n` })
      case 3:
        return calls("read", { path: `${key}.txt` })
      default:
        return calls("done", { message: key })
    }
  }

const environmentOf = (url: string) => ({
  PAWL_MODEL_DIALECT: "openai-chat",
  PAWL_MODEL_URL: url,
  PAWL_MODEL_STRONG: "scripted",
  PAWL_MODEL_PRICES: "strong=3/0.3/15",
  PAWL_AGENT_DAILY_CALL_CAP: "10000"
})

type CallJson = Omit<ModelCall, "status" | "costUsd" | "reservedUsd"> & {
  readonly state: ModelCall["status"]
  readonly cost_usd: number
}

const openChange = async ({ api }: ServerProcess, projectId: string): Promise<string> => {
  const body = { clientRequestId: "goal", goal: "Write three files.", budget_usd: 10, startPlanning: true }
  return (await api.post<{ change: ChangeJson }>(`/v1/projects/${projectId}/changes`, body)).change.id
}

const verified = (server: ServerProcess, changeId: string): Promise<CandidateJson> =>
  Flow.until(
    () => server.api.get<{ items: ReadonlyArray<CandidateJson> }>(`/v1/changes/${changeId}/candidates`),
    ({ items }) => items.some(({ status }) => status !== "composing" && status !== "verifying")
  ).then(({ items }) => items[0]!)

/** As if nothing had happened: each turn is paid once, nothing is kept, and no more was asked twice than was killed. */
const judge = async (
  server: ServerProcess,
  changeId: string,
  provider: ScriptedProvider.ScriptedProvider,
  mostRepeats: number,
  tree: string | null
): Promise<string> => {
  const candidate = await verified(server, changeId)
  expect(candidate).toMatchObject({ status: "verified", reason: null })
  if (tree !== null) expect(candidate.tree).toBe(tree)
  const { items } = await server.api.get<{ items: ReadonlyArray<CallJson> }>(
    `/v1/changes/${changeId}/model-calls?limit=100`
  )
  const { change } = await server.api.get<{ change: ChangeJson }>(`/v1/changes/${changeId}`)
  const settled = items.filter(({ state }) => state === "settled")
  const turns = settled.map(({ id }) => id.slice(0, id.lastIndexOf("_")))
  expect(new Set(turns).size).toBe(turns.length)
  expect(turns.length).toBe(1 + keys.length * turnsOfTask)
  expect(items.filter(({ state }) => state === "reserved")).toEqual([])
  expect(items.length - settled.length).toBeLessThanOrEqual(mostRepeats)
  expect(provider.asked().length - settled.length).toBeLessThanOrEqual(mostRepeats)
  const chargedUsd = provider.charged().reduce((sum, { input, output }) => sum + (input * 3 + output * 15) / 1e6, 0)
  const bookedUsd = items.reduce((sum, { cost_usd }) => sum + cost_usd, 0)
  expect(bookedUsd).toBeGreaterThanOrEqual(chargedUsd - 1e-9)
  expect(change.reserved_usd).toBe(0)
  expect(change.spent_usd).toBeCloseTo(bookedUsd, 6)
  const { items: letters } = await server.api.get<{ items: ReadonlyArray<unknown> }>(
    `/v1/projects/${change.projectId}/dead-letters`
  )
  expect(letters).toEqual([])
  return candidate.tree ?? ""
}

describe("A server that is killed while agents work", () => {
  let ground = { data: "", projectId: "" }

  beforeAll(async () => {
    const data = join(newFolder(), "data")
    const server = await startServer({ data })
    const { id } = await Flow.createProject(server.api, "turns")
    expect(await server.stop()).toBe(0)
    ground = { data, projectId: id }
  }, 120_000)
  const servers: Array<ServerProcess> = []
  const noted = async (starting: Promise<ServerProcess>): Promise<ServerProcess> => {
    const server = await starting
    servers.push(server)
    return server
  }
  // A test that failed leaves none behind.
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop("SIGKILL")))
    removeFolders()
  })

  const copied = (): string => {
    const data = join(newFolder(), "data")
    cpSync(ground.data, data, { recursive: true })
    return data
  }

  /** Works the goal, killing the server at drawn moments; answers the tree and how often it was killed. */
  const worked = async (seed: number, atOnce: AtOnce, mostKills: number, tree: string | null) => {
    const draw = seededDraw(seed)
    const answer = script(atOnce)
    const provider = await ScriptedProvider.open(answer)
    const data = copied()
    let server: ServerProcess | null = null
    let kills = 0
    const kill = () => {
      const victim = server
      server = null
      if (victim === null) return
      kills++
      victim.child.kill("SIGKILL")
    }
    provider.follow((asked) => {
      if (kills < mostKills && draw(3) > 0) {
        const when = draw(3)
        if (when === 0) kill()
        else if (when === 1) setImmediate(kill)
        else setTimeout(kill, draw(60))
      }
      return answer(asked)
    })
    try {
      let changeId: string | null = null
      for (;;) {
        const running = await noted(startServer({ data, environment: environmentOf(provider.url) }))
        changeId ??= await openChange(running, ground.projectId)
        server = running
        const isDone = verified(running, changeId).then(
          () => true,
          () => false
        )
        if ((await Promise.race([isDone, running.ended.then(() => false)])) && server !== null) {
          server = null
          const made = await judge(running, changeId, provider, kills * atOnce, tree)
          expect(await running.stop()).toBe(0)
          return { tree: made, kills }
        }
        expect(await running.ended).toBe("SIGKILL")
      }
    } finally {
      await provider.close()
    }
  }

  it("loses no turn, asks no more twice than it was killed, and keeps no money back, wherever chance kills it", async () => {
    const { tree } = await worked(0, 1, 0, null)
    const runs = rounds({ quick: 1, deep: 12 })
    const killsOfEach = rounds({ quick: 6, deep: 20 })
    let kills = 0
    for (let seed = 1; seed <= runs; seed++)
      kills += (await worked(chance * runs + seed, seed % 3 === 0 ? 2 : 1, killsOfEach, tree)).kills
    console.log(`${kills} kills in ${runs} runs`)
    expect(kills).toBeGreaterThan((runs * killsOfEach) / 2)
  }, 1_200_000)

  it("does so at every named place of a turn", async () => {
    const play = async (at: string | null) => {
      const provider = await ScriptedProvider.open(script(1))
      const base = newFolder()
      const data = copied()
      const passed = join(base, "places")
      const environment = { ...environmentOf(provider.url), PAWL_CRASH_RECORD: passed }
      const dying = at === null ? environment : { ...environment, PAWL_CRASH_AT: at }
      const victim = await noted(crashing(data, dying))
      const changeId = await openChange(victim, ground.projectId).catch(() => null)
      if (at !== null) expect([at, await victim.ended]).toEqual([at, "SIGKILL"])
      const next = at === null ? victim : await noted(crashing(data, environmentOf(provider.url)))
      const made = await judge(
        next,
        changeId ?? (await openChange(next, ground.projectId)),
        provider,
        at === null ? 0 : 1,
        null
      )
      expect(await next.stop()).toBe(0)
      await provider.close()
      return { places: passedIn(passed), tree: made }
    }
    const whole = await play(null)
    const places = [...new Set(whole.places)].filter((name) =>
      /Spending|Tasks\.|Compiling|agent\.wake|change\.dispatch|ObjectStore/.test(name)
    )
    expect(places.some((name) => name.startsWith("Ledger.commit(Spending.reserve)"))).toBe(true)
    expect(places.some((name) => name.startsWith("Ledger.commit(Spending.settle)"))).toBe(true)
    for (const place of slice(places, { quick: 2 }))
      expect([place, (await play(place)).tree]).toEqual([place, whole.tree])
    console.log(`${places.length} named places`)
  }, 1_200_000)
})
