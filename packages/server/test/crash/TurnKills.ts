/**
 * A goal of three files, worked by agents whose model is a scripted provider over HTTP; who is killed meanwhile, and what
 * must be so at the end: the same as if nothing had happened.
 */
import { expect } from "vitest"
import type { ModelCall } from "@pawl/core/model/ModelCall"
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"
import { type Asked, calls, type Script, type Turn } from "@pawl/testing/provider/Script"
import type { ScriptedProvider } from "@pawl/testing/provider/ScriptedProvider"
import { seededDraw } from "@pawl/testing/tools/SeededScheduler"
import type { DemoApi } from "../../src/node/demo/DemoApi.ts"
import * as Flow from "../e2e/kit/Flow.ts"

const keys = ["alpha", "beta", "gamma"] as const
const turnsOfTask = 4

/** How many agents are at work at a time: a kill may repeat one call of each that is on its way. */
export type AtOnce = 1 | 2
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

/** What the model says. Who asks, and in which turn, stands in the name of the call. */
export const script =
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

/** US dollars for a million tokens. */
interface Prices {
  readonly input: number
  readonly output: number
}
const prices: Prices = { input: 3, output: 15 }

/** The options of a server that asks the provider. */
export const environmentOf = ({ url }: Pick<ScriptedProvider, "url">) => ({
  PAWL_MODEL_DIALECT: "openai-chat",
  PAWL_MODEL_URL: url,
  PAWL_MODEL_STRONG: "scripted",
  PAWL_MODEL_PRICES: `strong=${prices.input}/0.3/${prices.output}`,
  PAWL_AGENT_DAILY_CALL_CAP: "10000"
})

/** When chance has somebody killed, and how. */
export interface Killing {
  readonly seed: number
  readonly atOnce: AtOnce
  readonly most: number
  /** False when there is nobody to be killed now. */
  readonly kill: () => boolean
}

/** Answers as the script says, and kills: as a call arrives, as its answer is sent, or a moment later. Tells how often. */
export const killedBy = (provider: ScriptedProvider, { atOnce, kill, most, seed }: Killing): (() => number) => {
  const draw = seededDraw(seed)
  const answer = script(atOnce)
  let kills = 0
  const strike = () => {
    if (kills < most && kill()) kills++
  }
  provider.follow((asked) => {
    if (kills < most && draw(3) > 0) {
      const when = draw(3)
      if (when === 0) strike()
      else if (when === 1) setImmediate(strike)
      else setTimeout(strike, draw(60))
    }
    return answer(asked)
  })
  return () => kills
}

type CallJson = Omit<ModelCall, "status" | "costUsd" | "reservedUsd"> & {
  readonly state: ModelCall["status"]
  readonly cost_usd: number
}

export const openGoal = async (api: DemoApi, projectId: string): Promise<string> => {
  const body = { clientRequestId: "goal", goal: "Write three files.", budget_usd: 10, startPlanning: true }
  return (await api.post<{ change: ChangeJson }>(`/v1/projects/${projectId}/changes`, body)).change.id
}

/** The Candidate of the Change, when it was judged. */
export const candidateOf = (api: DemoApi, changeId: string): Promise<CandidateJson> =>
  Flow.until(
    () => api.get<{ items: ReadonlyArray<CandidateJson> }>(`/v1/changes/${changeId}/candidates`),
    ({ items }) => items.some(({ status }) => status !== "composing" && status !== "verifying")
  ).then(({ items }) => items[0]!)

/** As `candidateOf`, also where others take over the work of who was killed only when its lease has ended. */
export const afterLeases = async (api: DemoApi, changeId: string, kills: number): Promise<CandidateJson> => {
  for (let left = kills; left > 0; left--) {
    const made = await candidateOf(api, changeId).catch(() => null)
    if (made !== null) return made
  }
  return candidateOf(api, changeId)
}

/** What a provider is asked, and charges, from now on. */
export const from = (provider: ScriptedProvider): Worked["provider"] => {
  const [asked, charged] = [provider.asked().length, provider.charged().length]
  return { asked: () => provider.asked().slice(asked), charged: () => provider.charged().slice(charged) }
}

/** What a run came to that is judged. */
export interface Worked {
  readonly changeId: string
  /** What it was asked, and what it charged, for this Change. */
  readonly provider: Pick<ScriptedProvider, "asked" | "charged">
  readonly prices?: Prices
  readonly mostRepeats: number
  /** What was made of the same goal before; null when it is the first. */
  readonly tree: string | null
}

/**
 * Each turn is paid once, nothing is kept back, no more was asked twice than may be, as much was booked as the provider
 * charged, and the files are the same. Answers their tree.
 */
export const judge = async (api: DemoApi, worked: Worked): Promise<string> => {
  const { changeId, mostRepeats, provider, tree } = worked
  const { input: priceIn, output: priceOut } = worked.prices ?? prices
  const candidate = await candidateOf(api, changeId)
  expect(candidate).toMatchObject({ status: "verified", reason: null })
  if (tree !== null) expect(candidate.tree).toBe(tree)
  const { items } = await api.get<{ items: ReadonlyArray<CallJson> }>(`/v1/changes/${changeId}/model-calls?limit=100`)
  const { change } = await api.get<{ change: ChangeJson }>(`/v1/changes/${changeId}`)
  const settled = items.filter(({ state }) => state === "settled")
  const turns = settled.map(({ id }) => id.slice(0, id.lastIndexOf("_")))
  expect(new Set(turns).size).toBe(turns.length)
  expect(turns.length).toBe(1 + keys.length * turnsOfTask)
  expect(items.filter(({ state }) => state === "reserved")).toEqual([])
  expect(items.length - settled.length).toBeLessThanOrEqual(mostRepeats)
  expect(provider.asked().length - settled.length).toBeLessThanOrEqual(mostRepeats)
  const chargedUsd = provider
    .charged()
    .reduce((sum, { input, output }) => sum + (input * priceIn + output * priceOut) / 1e6, 0)
  const bookedUsd = items.reduce((sum, { cost_usd }) => sum + cost_usd, 0)
  expect(bookedUsd).toBeGreaterThanOrEqual(chargedUsd - 1e-9)
  expect(change.reserved_usd).toBe(0)
  expect(change.spent_usd).toBeCloseTo(bookedUsd, 6)
  const { items: tasks } = await api.get<{ items: ReadonlyArray<{ readonly attempt: number }> }>(
    `/v1/changes/${changeId}/tasks`
  )
  expect(tasks.map(({ attempt }) => attempt)).toEqual(keys.map(() => 1))
  const { items: letters } = await api.get<{ items: ReadonlyArray<unknown> }>(
    `/v1/projects/${change.projectId}/dead-letters`
  )
  expect(letters).toEqual([])
  return candidate.tree ?? ""
}
