/**
 * The agent that is built in: it works a run by asking a model turn by turn and carrying out what it calls, on an overlay
 * of the source. A run that was cut short is built again from the answers and results that it had, to the same files.
 */
import { Effect, Layer, Result, Schema } from "effect"
import type { LedgerUnavailable } from "../ledger/Ledger.ts"
import type { Records } from "../ledger/Records.ts"
import type { Intent } from "../model/ChangeSet.ts"
import { Limits } from "../primitives/Limits.ts"
import { wordsOf } from "../primitives/Words.ts"
import { Agent, type AgentJob, type AgentOutcome, AgentUnavailable, nothingUsed } from "../task/Agent.ts"
import type { ModelRefused } from "../agent/ModelFailures.ts"
import { type Answer, Models } from "../agent/Models.ts"
import { editsOf, heldAt, type Overlay } from "../agent/Overlay.ts"
import { prepare } from "./Preparation.ts"
import { systemWords } from "./Prompt.ts"
import {
  answered,
  begun,
  type Called,
  heard,
  noted,
  pruned,
  type Resulted,
  type Talk,
  toolsNow
} from "../agent/Talk.ts"
import { definition, type ToolRequest } from "../agent/Tools.ts"
import { use } from "./ToolUse.ts"
import { fenced } from "../agent/Untrusted.ts"
import type { Workplace } from "./Workplace.ts"

/** Something that a person said to a run. */
export interface RunNote {
  readonly id: string
  /** Who said it, as an actor's name. */
  readonly by: string
  readonly text: string
}

/** What the agent is given beside its ports. */
export interface BuiltInOptions {
  /** Packages that an app may import besides its own files. */
  readonly packages: ReadonlyArray<string>
  /** All notes to a Task so far, oldest first. */
  readonly notesFor: (taskId: string) => Effect.Effect<ReadonlyArray<RunNote>, LedgerUnavailable, Records>
}

/** Where a run is: pure, and built again from the journal. */
interface Progress {
  readonly talk: Talk
  readonly overlay: Overlay
  /** Files that the model asked for. */
  readonly reads: ReadonlySet<string>
  /** Notes that it was told. */
  readonly notes: ReadonlySet<string>
}

interface On {
  readonly _tag: "On"
  readonly progress: Progress
}
interface End {
  readonly _tag: "End"
  readonly outcome: AgentOutcome
}
type Step = On | End

const on = (progress: Progress): On => ({ _tag: "On", progress })
const end = (outcome: AgentOutcome): End => ({ _tag: "End", outcome })
const retry = (reason: string): End =>
  end({ _tag: "Retry", reason: reason.slice(0, Limits.problemLength), usage: nothingUsed })

const diverged = end({
  _tag: "Retry",
  reason: "the run was begun by another version of this program, which made other files of it",
  usage: nothingUsed,
  diverged: true
})

const KeptNotes = Schema.Array(Schema.Struct({ id: Schema.String, by: Schema.String, text: Schema.String }))

/**
 * Tells what people said since the last turn. It is kept, so that who builds the talk again has the same: what they wrote
 * after a turn was answered is not told before it.
 */
const withNotes = Effect.fnUntraced(function* (
  { fence, job }: Workplace,
  progress: Progress,
  notesFor: BuiltInOptions["notesFor"]
) {
  const fresh = (yield* notesFor(job.task.id)).filter(({ id }) => !progress.notes.has(id))
  if (fresh.length === 0) return progress
  const turn = progress.talk.turns + 1
  const told = (yield* job.isAnswered(turn)) ? [] : fresh.slice(0, Limits.agentNotesPerTurn)
  const kept = yield* job.remember(
    `notes-${turn}`,
    KeptNotes,
    Effect.succeed(told.map(({ by, id, text }) => ({ by, id, text })))
  )
  return {
    ...progress,
    notes: new Set([...progress.notes, ...kept.map(({ id }) => id)]),
    talk: noted(
      progress.talk,
      kept.map(({ by, text }) => fenced(fence, `note of ${by}`, text))
    )
  }
})

/** Characters of the results of tools that stay in a talk: of a small context a third, as three characters make a token. */
const keptChars = (contextTokens: number): number => Math.min(Limits.agentPruneKeepChars, contextTokens)

/** Of a talk that the model cannot hold: another model with more room, or none. */
const tooLong = Effect.fnUntraced(function* (job: AgentJob, refused: ModelRefused) {
  const models = yield* Models
  const own = job.run.tier
  const room = own === null ? 0 : (models.of(own)?.contextTokens ?? 0)
  const wider = (["balanced", "strong"] as const).some((tier) => (models.of(tier)?.contextTokens ?? 0) > room)
  const reason = `the talk does not fit into the model's context: ${refused.reason}`
  return end({ _tag: wider && own !== "strong" ? "Escalate" : "Failed", reason, usage: nothingUsed })
})

type Asked = { readonly _tag: "Answer"; readonly talk: Talk; readonly answer: Answer } | End

/** Asks for the next turn. A talk that is too long is asked once more without what lies far back. */
const ask = Effect.fnUntraced(function* (place: Workplace, before: Talk, packages: ReadonlyArray<string>) {
  const { job } = place
  const contextTokens = job.run.tier === null ? undefined : (yield* Models).of(job.run.tier)?.contextTokens
  const keep = keptChars(contextTokens ?? Limits.agentPruneKeepChars)
  const turn = (talk: Talk) =>
    job
      .turn(talk.turns + 1, {
        system: systemWords(talk.kind, packages),
        parts: talk.parts,
        tools: toolsNow(talk).map(definition),
        mustCall: null,
        maxOutput: Math.min(Limits.agentOutputTokens, Math.floor((contextTokens ?? Infinity) / 4))
      })
      .pipe(Effect.map((answer): Asked => ({ _tag: "Answer", talk, answer })))
  const talk = pruned(before, keep, Math.min(Limits.agentPruneLeastChars, Math.floor(keep / 2)))
  const short = pruned(talk, Math.floor(keep / 8), 1)
  return yield* turn(talk).pipe(
    Effect.catchTag("ModelRefused", (refused) =>
      refused.kind === "too_long" && short !== talk ? turn(short) : Effect.fail(refused)
    ),
    Effect.catchTag("ModelRefused", (refused): Effect.Effect<Asked> => {
      if (refused.kind === "too_long") return tooLong(job, refused)
      const reason = `the model refused the call: ${refused.reason}`
      return Effect.succeed(end({ _tag: "Failed", reason, usage: nothingUsed }))
    })
  )
})

type Ending = Extract<ToolRequest, { readonly name: "answer" | "give_up" }>

const isEnding = (request: ToolRequest): request is Ending => request.name === "answer" || request.name === "give_up"

const ended = (request: Ending): End => {
  if (request.name === "answer")
    return end({ _tag: "Answered", text: request.input.text.slice(0, Limits.agentAnswerChars), usage: nothingUsed })
  const reason = request.input.reason.slice(0, Limits.problemLength)
  return end({ _tag: request.input.escalate === true ? "Escalate" : "Failed", reason, usage: nothingUsed })
}

const published = (overlay: Overlay, reads: ReadonlySet<string>, message: string): End => {
  const intents = [...reads].map((value): Intent => ({ kind: "path", value, mode: "read" }))
  return end({ _tag: "Published", edits: editsOf(overlay), message, intents, usage: nothingUsed })
}

/** Says what an answer's calls read and edited, so that others are told of it. */
const claimed = ({ job, untouched }: Workplace, before: Progress, after: Pick<Progress, "overlay" | "reads">) => {
  const read = [...after.reads].filter((path) => !before.reads.has(path))
  const paths = new Set([...before.overlay.edits.keys(), ...after.overlay.edits.keys()])
  const fresh = [...paths].filter((path) => before.overlay.edits.get(path) !== after.overlay.edits.get(path))
  const edited = fresh.map((path) => ({ path, before: textAt(untouched, path), after: textAt(after.overlay, path) }))
  return read.length + edited.length === 0 ? Effect.void : job.claim({ read, edited })
}

const textAt = (overlay: Overlay, path: string): string | null => {
  const held = heldAt(overlay, path)
  return held._tag === "Text" ? held.text : null
}

/** Carries out the calls of an answer in their order, until one ends the work. */
const carryOut = Effect.fnUntraced(function* (
  place: Workplace,
  progress: Progress,
  talk: Talk,
  called: ReadonlyArray<Called>
) {
  let { overlay } = progress
  const reads = new Set(progress.reads)
  const results: Array<Resulted> = []
  for (const [index, each] of called.entries()) {
    if (Result.isFailure(each.request)) {
      results.push({ called: each, text: each.request.failure, failed: true })
      continue
    }
    const request = each.request.success
    if (isEnding(request)) return ended(request)
    const used = yield* use(place, overlay, request, { turn: talk.turns, at: index + 1 })
    if (used.diverged) return diverged
    if (used.ended && request.name === "done") {
      yield* claimed(place, progress, { overlay, reads })
      return published(overlay, reads, request.input.message)
    }
    overlay = used.overlay
    if (request.name === "read" && !used.failed) reads.add(request.input.path)
    results.push({ called: each, text: used.text, plain: used.plain, failed: used.failed })
  }
  yield* claimed(place, progress, { overlay, reads })
  const said = answered(talk, results)
  return said._tag === "Over" ? retry(said.reason) : on({ ...progress, talk: said.talk, overlay, reads })
})

/** One turn: what people said, what the model answers, what it calls. */
const turned = Effect.fnUntraced(function* (place: Workplace, before: Progress, options: BuiltInOptions) {
  const progress = yield* withNotes(place, before, options.notesFor)
  const asked = yield* ask(place, progress.talk, options.packages)
  if (asked._tag === "End") return asked
  const said = heard(asked.talk, asked.answer)
  switch (said._tag) {
    case "Over":
      return retry(said.reason)
    case "Again":
      return on({ ...progress, talk: said.talk })
    case "Calls":
      return yield* carryOut(place, progress, said.talk, said.called)
  }
})

const away = (problem: Error) => new AgentUnavailable({ reason: wordsOf(problem) })

/** Works a run to its end. Each turn has its own call of the model, so there are as many as the Task's size allows. */
export const work = (job: AgentJob, options: BuiltInOptions) =>
  Effect.gen(function* () {
    const { overlay, place, text } = yield* prepare(job)
    let step: Step = on({
      talk: begun(job.task.kind, job.task.complexity, text),
      overlay,
      reads: new Set(),
      notes: new Set()
    })
    while (step._tag === "On") step = yield* turned(place, step.progress, options)
    return step.outcome
  }).pipe(
    Effect.catchTags({
      PackagesUnavailable: (problem) => away(problem),
      RepositoriesUnavailable: (problem) => away(problem),
      // The source was prepared for this run: it is there, and fits.
      ObjectNotFound: Effect.die,
      TreeTooLarge: Effect.die,
      // Its Project is.
      Unknown: Effect.die
    }),
    Effect.withSpan("BuiltIn.work", { attributes: { runId: job.run.id } })
  )

type Needs = Effect.Services<ReturnType<typeof work>>

/** Fills the port with this agent. What it needs is taken from where the layer is made. */
export const layer = (options: BuiltInOptions) =>
  Layer.effect(
    Agent,
    Effect.map(Effect.context<Needs>(), (context) => ({
      work: (job: AgentJob) => Effect.provide(work(job, options), context)
    }))
  )
