/** A run of the agent that is built in, over memory layers: a model that a test plays, and a journal that outlives a kill. */
import { Effect, type Layer, Schema } from "effect"
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import { type BuiltInOptions, type RunNote, work } from "@pawl/core/harness/BuiltIn"
import type { Answer, ToolCall } from "@pawl/core/agent/Models"
import type { TurnAsk, Turns } from "@pawl/core/agent/Turns"
import type { TurnFailure } from "@pawl/core/agent/TurnFailures"
import type { PlannedTask } from "@pawl/core/change/WorkGraph"
import { demand } from "@pawl/core/ledger/Decision"
import { generationKey } from "@pawl/core/model/Entities"
import type { ModelTier } from "@pawl/core/model/Task"
import type { FileEdits } from "@pawl/core/project/Repositories"
import * as Projects from "@pawl/core/project/Projects"
import type { AgentJob, AgentOutcome } from "@pawl/core/task/Agent"
import { changeOf, plannedTask, runOf, taskOf } from "@pawl/testing/contracts/agents/WorkFixtures"
import { answers, type layer, organizationId, page, person, run, settle } from "./MemoryPawl.ts"

/** What a model says to the `n`th request. */
export type Model = (ask: TurnAsk, n: number) => Answer | Effect.Effect<Answer, TurnFailure>

export const call = (name: string, input: unknown = {}, id = "c1"): ToolCall => ({
  id,
  name,
  input,
  raw: JSON.stringify(input)
})

export const says = (...calls: ReadonlyArray<ToolCall>): Answer => ({
  text: "",
  calls: calls.map((each, at) => ({ ...each, id: `c${at + 1}` })),
  stop: calls.length > 0 ? "tools" : "end",
  usage: { input: 1, cacheRead: 0, cacheWrite: 0, output: 1, known: true },
  requestId: null
})

/** Calls of tools, one in each answer, and the last one again and again. */
export const inTurn =
  (...all: ReadonlyArray<Answer | ToolCall>): Model =>
  (_, n) => {
    const said = all[Math.min(n, all.length) - 1] ?? says()
    return "name" in said ? says(said) : said
  }

/** What is left of a run when its process is gone. */
export interface Kept {
  readonly answers: Map<number, Answer>
  readonly steps: Map<string, unknown>
  /** Each request that the model got, in order; the first of each turn that was answered, and those that were not. */
  readonly asked: Array<TurnAsk>
}

export const nothingKept = (): Kept => ({ answers: new Map(), steps: new Map(), asked: [] })

/** The process is gone. */
export class Killed extends Error {}

/** Turns that are kept in a map. `step` is told of each thing that is about to be kept, and may throw `Killed`. */
const turnsOf = (kept: Kept, model: Model, step: () => void): Turns => ({
  turn: (n, ask) =>
    Effect.suspend(() => {
      const known = kept.answers.get(n)
      if (known !== undefined) return Effect.succeed(known)
      kept.asked.push(ask)
      const said = model(ask, n)
      return Effect.map(Effect.isEffect(said) ? said : Effect.succeed(said), (answer) => {
        step()
        kept.answers.set(n, answer)
        return answer
      })
    }),
  isAnswered: (n) => Effect.sync(() => kept.answers.has(n)),
  remember: (name, schema, doing) =>
    Effect.suspend(() =>
      kept.steps.has(name)
        ? Effect.orDie(Schema.decodeUnknownEffect(schema)(kept.steps.get(name)))
        : Effect.map(doing, (result) => {
            step()
            kept.steps.set(name, JSON.parse(JSON.stringify(Schema.encodeSync(schema)(result))))
            return result
          })
    )
})

/** How a run is to be. */
export interface RunOptions {
  readonly planned?: Partial<PlannedTask>
  readonly tier?: ModelTier
  readonly before?: string
  readonly evidence?: string
  /** Another Change than one that is stored nowhere. */
  readonly changeId?: `chg_${string}`
  readonly findings?: AgentJob["findings"]
  readonly kept?: Kept
  readonly notes?: ReadonlyArray<RunNote> | (() => ReadonlyArray<RunNote>)
  readonly overlaps?: AgentJob["overlaps"]
  readonly claim?: AgentJob["claim"]
  readonly step?: () => void
}

/** Where a Project's source stands. */
export interface Source {
  readonly projectId: `proj_${string}`
  readonly commit: string
  readonly tree: string
}

/** A new Project with these files. */
export const newSource = (files: FileEdits) =>
  Effect.gen(function* () {
    answers.clear()
    answers.set("/", page(200))
    const { id } = yield* Projects.create(person, { organizationId, slug: "corner", files })
    yield* settle
    const { commit, tree } = (yield* demand("generation", generationKey(id, 0))).record
    return { projectId: id, commit, tree } satisfies Source
  })

/** What dispatch hands to an agent, with turns of a model that a test plays. */
export const jobIn = ({ commit, projectId, tree }: Source, model: Model, options: RunOptions = {}): AgentJob => {
  const { kept = nothingKept(), step = () => undefined } = options
  const planned = { ...plannedTask, writes: [], ...options.planned }
  const { complexity, key, kind, title } = planned
  return {
    change: { ...changeOf(), projectId, id: options.changeId ?? changeOf().id },
    task: { ...taskOf(), projectId, kind, complexity, key, title, reason: options.before ?? null },
    run: { ...runOf(), projectId, baseCommit: commit, baseGeneration: 0, tier: options.tier ?? "fast" },
    planned,
    source: { repository: { project: projectId }, commit, tree },
    findings: options.findings ?? [],
    ...(options.evidence === undefined ? {} : { evidence: options.evidence }),
    overlaps: options.overlaps ?? [],
    claim: options.claim ?? (() => Effect.void),
    remainingUsd: 1,
    ...turnsOf(kept, model, step)
  }
}

/** An agent that nobody writes to, and that works beside nobody. */
export const plainOptions: BuiltInOptions = {
  packages: ["hono"],
  notesFor: () => Effect.succeed([])
}

export type Services = Layer.Success<typeof layer> | Layer.Success<typeof MemorySecrets.layerMemory>

/** Works one run of a model that a test plays. */
type Works = (model: Model, options?: RunOptions) => Effect.Effect<AgentOutcome, unknown, Services>

/** A Project, and runs on its source. */
export const inAgentWorld = <A>(
  files: FileEdits,
  program: (works: Works, projectId: string) => Effect.Effect<A, unknown, Services>
): Promise<A> =>
  run(
    Effect.gen(function* () {
      const source = yield* newSource(files)
      const works: Works = (model, options = {}) => {
        const { notes = [] } = options
        return work(jobIn(source, model, options), {
          ...plainOptions,
          notesFor: () => Effect.sync(() => (typeof notes === "function" ? notes() : notes))
        })
      }
      return yield* program(works, source.projectId)
    }).pipe(Effect.provide(MemorySecrets.layerMemory))
  )
