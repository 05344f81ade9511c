/** What the runtime adds to the turns of an agent, and whether agents that wait for their model delay others. */
import { join } from "node:path"
import type { Event } from "@pawl/core/model/Event"
import { calls, type Script } from "../../packages/testing/src/provider/Script.ts"
import * as Provider from "../../packages/testing/src/provider/ScriptedProvider.ts"
import * as ChangeFlow from "../../packages/server/test/e2e/kit/ChangeFlow.ts"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"
import { environmentOf, script, titleOf } from "../../packages/server/test/e2e/kit/ScriptedTeam.ts"
import { startServer } from "../../packages/server/test/e2e/kit/ServerProcess.ts"
import { type Bench, figure, ratioAtMost, valueAtMost } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import { openTurns, type TurnRows } from "../parts/TurnByHand.ts"
import { across, inTurn, lastly, median, worst } from "../Rounds.ts"

/** Turns of one run: a large Task has 32, and the last is its end. */
const turns = 30
const asleep = 8
/** Promotions of one round. */
const promotions = Number(process.env["PAWL_BENCH_PROMOTIONS_BESIDE"] ?? 6)

const lines = Array.from({ length: 200 }, (_, at) => `line ${at}\n`).join("")
type Api = Parameters<typeof Flow.edit>[0]

/** A team of one that reads a file from another line on in each turn. `came` is told of each of its requests. */
const reader = (came: (turn: number) => void): Script => {
  let turn = 0
  const task = {
    key: "read",
    title: "Read",
    kind: "implement",
    complexity: "large",
    instructions: "Read.",
    dependsOn: []
  }
  return (asked) => {
    if (titleOf(asked) === null) return calls("propose_plan", { tasks: [task] })
    came(++turn)
    return turn > turns ? calls("done", { message: "read" }) : calls("read", { path: "lines.txt", from: turn })
  }
}

/** A team of eight whose model never answers. `came` is told of each request. */
const sleepers = (came: () => void): Script => {
  const tasks = Array.from({ length: asleep }, (_, at) => ({ key: `t${at}`, title: `Sleep ${at}` }))
  const plan = script({ tasks, agents: {} })
  return (asked) => {
    if (titleOf(asked) === null) return plan(asked)
    came()
    return { _tag: "Silent" }
  }
}

/** Milliseconds from one request of a run to its next, while its model answers at once. */
const turnsOf = (provider: Provider.ScriptedProvider, api: Api, projectId: string, name: string) =>
  new Promise<ReadonlyArray<number>>((answer, fail) => {
    const times: Array<number> = []
    provider.follow(
      reader((turn) => {
        times.push(performance.now())
        if (turn > turns) answer(times.slice(1).map((at, before) => at - times[before]!))
      })
    )
    ChangeFlow.openGoal(api, projectId, name).catch(fail)
  })

/** All events of a Project from here on, each told once. */
const newEvents = (api: Api, projectId: string) => {
  let after = 0
  return async (): Promise<ReadonlyArray<Event>> => {
    const found: Array<Event> = []
    for (;;) {
      const path = `/v1/projects/${projectId}/events?after=${after}&limit=100`
      const { items } = await api.get<{ items: ReadonlyArray<Event> }>(path)
      if (items.length === 0) return found
      after = items.at(-1)!.sequence
      found.push(...items)
    }
  }
}

/** Changes of one file, one after the other, each promoted by the Policy itself. */
const promoter = async (api: Api, projectId: string) => {
  await api.put(`/v1/projects/${projectId}/policy`, { autoPromoteRiskTiers: ["low"], approvalRiskTiers: ["high"] })
  const since = newEvents(api, projectId)
  let generation = 0
  /** Milliseconds from the commit that verified a Candidate to the one that promoted it. */
  const promoted = async (): Promise<number> => {
    await since()
    const change = await Flow.openChange(api, projectId, `note-${++generation}`)
    await Flow.edit(api, change, { "public/note.txt": `${generation}\n` })
    await Flow.requestCandidate(api, change)
    await Flow.released(api, projectId, generation)
    const events = await since()
    const at = (type: Event["type"]): number => Date.parse(events.find((each) => each.type === type)!.time)
    return at("canonical.advanced") - at("candidate.verified")
  }
  return async (): Promise<ReadonlyArray<number>> => {
    const times: Array<number> = []
    for (let n = 0; n < promotions; n++) times.push(await promoted())
    return times
  }
}

/** Work beside agents that all wait for their model, which never answers. */
const besideSleepers = async <A>(
  provider: Provider.ScriptedProvider,
  api: Api,
  name: string,
  work: () => Promise<A>
) => {
  const project = await Flow.createProject(api, name)
  let waiting = 0
  const change = await new Promise<{ readonly id: string }>((answer, fail) => {
    let opened: { readonly id: string } | null = null
    const told = () => void (opened !== null && waiting === asleep && answer(opened))
    provider.follow(sleepers(() => (waiting++, told())))
    ChangeFlow.openGoal(api, project.id, name).then((made) => ((opened = made), told()), fail)
  })
  return lastly(work(), () => api.post(`/v1/changes/${change.id}/cancel`))
}

/** The same requests without a runtime, and two transactions for each. */
const byHand = (provider: Provider.ScriptedProvider, filename: string, rows: TurnRows, body: string) => {
  const db = openTurns(filename, rows)
  const headers = { "content-type": "application/json", authorization: `Bearer ${ChangeFlow.modelKey}` }
  const url = `${provider.url}/chat/completions`
  const turn = async (id: string, parts: { request: number[]; commits: number[] }) => {
    const began = performance.now()
    db.reserve(id)
    const reserved = performance.now()
    await (await fetch(url, { method: "POST", headers, body })).json()
    const answered = performance.now()
    db.settle(id)
    const settled = performance.now()
    parts.request.push(answered - reserved)
    parts.commits.push(reserved - began, settled - answered)
    return settled - began
  }
  return {
    run: async (round: number) => {
      const parts = { request: [], commits: [] }
      const times: Array<number> = []
      provider.follow(() => calls("read", { path: "lines.txt", from: round + 1 }))
      for (let n = 0; n < turns; n++) times.push(await turn(`${round}-${n}`, parts))
      return { times, ...parts }
    },
    close: db.close
  }
}

/** What the first run left, as the rows and the request that are written and sent by hand. */
const samplesOf = async (api: Api, provider: Provider.ScriptedProvider, projectId: string) => {
  const { items: changes } = await api.get<{ items: ReadonlyArray<{ id: string }> }>(
    `/v1/projects/${projectId}/changes`
  )
  const [run] = await Flow.until(
    async () => (await api.get<{ items: ReadonlyArray<unknown> }>(`/v1/tasks/tsk_${changes[0]!.id}_read/runs`)).items,
    (runs) => runs.length > 0
  )
  const call = (await ChangeFlow.callsOf(api, changes[0]!.id))[1]
  const event = (await newEvents(api, projectId)()).find(({ type }) => type === "model.called")
  const [text, call_, run_, event_] = [changes[0], call, run, event].map((each) => JSON.stringify(each))
  return {
    rows: { change: text!, call: call_!, run: run_!, event: event_! },
    body: provider.asked().at(-1)!.text
  }
}

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    say("preparing")
    const provider = await Provider.open(() => calls("give_up", { reason: "nothing to do" }))
    const server = await startServer({
      data: join(folder, "data"),
      environment: {
        ...environmentOf(provider),
        PAWL_AGENT_DAILY_CALL_CAP: "100000",
        PAWL_APP_BUILDS_PER_DAY: "100000"
      }
    })
    // Whatever ends this process, the server goes with it.
    const kill = () => void server.child.kill("SIGKILL")
    process.once("exit", kill)
    const { api } = server
    const reading = await Flow.createProject(api, "reading", Flow.source("one", { "lines.txt": lines }))
    const notes = await Flow.createProject(api, "notes")
    for (const { id } of [reading, notes]) await Flow.liveApp(api, id, 0)
    const promote = await promoter(api, notes.id)
    await turnsOf(provider, api, reading.id, "first")
    const samples = await samplesOf(api, provider, reading.id)
    const hand = byHand(provider, join(folder, "by-hand"), samples.rows, samples.body)
    const parts = { request: [] as Array<number>, commits: [] as Array<number> }
    const sides = {
      byHand: async (round: number) => {
        const { commits, request, times } = await hand.run(round)
        if (round > 0) {
          parts.request.push(...request)
          parts.commits.push(...commits)
        }
        return times
      },
      turns: (round: number) => turnsOf(provider, api, reading.id, `turns-${round}`),
      alone: () => promote(),
      beside: (round: number) => besideSleepers(provider, api, `asleep-${round}`, promote)
    }
    const times = await lastly(inTurn<keyof typeof sides, ReadonlyArray<number>>(rounds, sides, say), async () => {
      hand.close()
      await server.stop()
      await provider.close()
      process.off("exit", kill)
    })
    const [ours, floor] = [times.turns.map(median), times.byHand.map(median)]
    const [beside, alone] = [times.beside.flat(), times.alone.flat()]
    const ms = (value: number): string => `${value.toFixed(1)} ms`
    return {
      figures: [
        figure({
          name: "agent-turn",
          value: median(ours),
          unit: "ms",
          floor: "its request and two transactions by hand",
          floorValue: median(floor),
          ratio: across(ours, floor),
          target: valueAtMost(50, "ms")
        }),
        figure({
          name: "promotion-beside-8-agents",
          value: worst(beside),
          unit: "ms",
          floor: "the same without them",
          floorValue: worst(alone),
          ratio: across(times.beside.map(worst), times.alone.map(worst)),
          target: ratioAtMost(1.5)
        })
      ],
      notes: [
        `${turns} turns in each run. By hand: the request ${ms(median(parts.request))}, each transaction ${ms(median(parts.commits))}. The slowest tenth of ours begins at ${ms(tenth(times.turns.flat()))}.`,
        `${beside.length} promotions beside ${asleep} agents, ${alone.length} without: medians ${ms(median(beside))} and ${ms(median(alone))}.`
      ]
    }
  })

const tenth = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => b - a)[Math.floor(values.length / 10)]!
