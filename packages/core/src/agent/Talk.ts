/**
 * What an agent and its model say to each other, turn by turn: pure, so that the same answers and results give the same
 * talk, before a kill and after it. It decides when there is nothing more to say.
 */
import { Result } from "effect"
import { Limits } from "../primitives/Limits.ts"
import type { Complexity, TaskKind } from "../model/Task.ts"
import type { Answer, Part, ToolCall } from "./Models.ts"
import { requested, type ToolName, toolNames, type ToolRequest } from "./Tools.ts"
import type { ToolAnswer } from "./FileTools.ts"

/** A talk so far. */
export interface Talk {
  readonly kind: TaskKind
  /** Calls of the model that it may have in all. */
  readonly most: number
  /** Calls of the model that it has had. */
  readonly turns: number
  /** What the model is told next time, after the system's words. */
  readonly parts: ReadonlyArray<Part>
  /** Answers in a row in which no call could be read. */
  readonly malformed: number
  /** Answers without any call. */
  readonly silent: number
  /** The last calls with their results, as one text each, and how often each came in a row. */
  readonly repeated: { readonly key: string; readonly times: number }
}

/** A call that the model made: what it asks for, or what is wrong with it. */
export interface Called {
  readonly id: string
  readonly key: string
  readonly request: Result.Result<ToolRequest, string>
}

/** What an answer leads to. */
export type Heard =
  /** Tools are to be used, in this order. */
  | { readonly _tag: "Calls"; readonly talk: Talk; readonly called: ReadonlyArray<Called> }
  /** The model is asked again. */
  | { readonly _tag: "Again"; readonly talk: Talk }
  /** It comes to nothing. */
  | { readonly _tag: "Over"; readonly reason: string }

/** How many calls of a model a run has. */
const turnsOf = (complexity: Complexity): number =>
  complexity === "large" ? Limits.agentTurnsLarge : Limits.agentTurns

/** A talk that begins with some words. */
export const begun = (kind: TaskKind, complexity: Complexity, words: string): Talk => ({
  kind,
  most: turnsOf(complexity),
  turns: 0,
  parts: [{ _tag: "User", text: words }],
  malformed: 0,
  silent: 0,
  repeated: { key: "", times: 0 }
})

/** The tools of the next call. The last one can only end the work. */
export const toolsNow = (talk: Talk): ReadonlyArray<ToolName> => toolNames(talk.kind, talk.turns + 1 >= talk.most)

const add = (talk: Talk, ...parts: ReadonlyArray<Part>): Talk => ({ ...talk, parts: [...talk.parts, ...parts] })

const keyOf = ({ input, name, raw }: ToolCall): string => `${name} ${input === null ? raw : JSON.stringify(input)}`

const noCalls = (talk: Talk): Heard => {
  if (talk.silent > 0) return { _tag: "Over", reason: "the model calls no tool" }
  const ends = toolNames(talk.kind, true).join(" or ")
  const text = `Go on with a tool. When you are at the end, say so with ${ends}.`
  return { _tag: "Again", talk: add({ ...talk, silent: talk.silent + 1 }, { _tag: "User", text }) }
}

/** What the model answered. Only so many calls of one answer are looked at; the others are told so. */
export const heard = (before: Talk, answer: Answer): Heard => {
  const allowed = toolsNow(before)
  const talk = add(
    { ...before, turns: before.turns + 1 },
    { _tag: "Assistant", text: answer.text, calls: answer.calls }
  )
  const isLast = talk.turns >= talk.most
  if (answer.calls.length === 0) {
    if (answer.stop === "refused") return { _tag: "Over", reason: "the model would not answer" }
    return isLast ? { _tag: "Over", reason: `it did not end within ${talk.most} calls` } : noCalls(talk)
  }
  const called = answer.calls.map((call, at): Called => ({
    id: call.id,
    key: keyOf(call),
    request:
      at < Limits.agentCallsPerTurn
        ? requested(call, allowed)
        : Result.fail(`no more than ${Limits.agentCallsPerTurn} calls at once: this one was not looked at`)
  }))
  const malformed = called.every(({ request }) => Result.isFailure(request)) ? talk.malformed + 1 : 0
  if (malformed >= Limits.agentMalformedTurns)
    return { _tag: "Over", reason: `${malformed} answers in a row had no call that could be read` }
  return { _tag: "Calls", talk: { ...talk, malformed, silent: 0 }, called }
}

/** A talk in which people said something. */
export const noted = (talk: Talk, notes: ReadonlyArray<string>): Talk =>
  add(talk, ...notes.map((text): Part => ({ _tag: "User", text })))

/** One result of a call. */
export interface Resulted extends ToolAnswer {
  readonly called: Called
  /** What it said without a fence, for people and for the attempt after this one. */
  readonly plain?: string
}

const counted = (talk: Talk, results: ReadonlyArray<Resulted>): Talk["repeated"] => {
  const key = results.map(({ called, text }) => `${called.key}\n${text}`).join("\n")
  return { key, times: key === talk.repeated.key ? talk.repeated.times + 1 : 1 }
}

/** What stands beside the results: that something repeats itself, and that the calls come to their end. */
const remarks = (talk: Talk): ReadonlyArray<string> => {
  const left = talk.most - talk.turns
  return [
    ...(talk.repeated.times === Limits.agentRepeatsWarned
      ? [`The same calls had the same results ${talk.repeated.times} times. Do something else.`]
      : []),
    ...(left === Limits.agentTurnsTold ? [`You have ${left} calls left. Come to an end.`] : []),
    ...(left === 1 ? [`This is your last call: ${toolNames(talk.kind, true).join(" or ")}.`] : [])
  ]
}

/** Who tries again is told what stood in the way of the end. */
const lateReason = ({ most }: Talk, results: ReadonlyArray<Resulted>): string => {
  const refusal = results.find(({ called: { request }, failed }) => failed && isEnd(request))
  const late = `it did not end within ${most} calls`
  if (refusal === undefined) return late
  return `${late}; at the last one: ${refusal.plain ?? refusal.text}`.slice(0, Limits.problemLength)
}

const isEnd = (request: Called["request"]): boolean => Result.isSuccess(request) && request.success.name === "done"

/** What the tools made of the calls, none of which ended the work. */
export const answered = (
  before: Talk,
  results: ReadonlyArray<Resulted>
): Exclude<Heard, { readonly _tag: "Calls" }> => {
  const repeated = counted(before, results)
  if (repeated.times >= Limits.agentRepeats)
    return { _tag: "Over", reason: `the same calls had the same results ${repeated.times} times` }
  if (before.turns >= before.most) return { _tag: "Over", reason: lateReason(before, results) }
  const talk = { ...before, repeated }
  const parts = results.map(({ called, failed, text }): Part => ({ _tag: "ToolResult", id: called.id, text, failed }))
  const said = remarks(talk).map((text): Part => ({ _tag: "User", text }))
  return { _tag: "Again", talk: add(talk, ...parts, ...said) }
}

const forgotten = "(no longer shown: use the tool again when you need it)"

const sizeOf = (part: Part): number => (part._tag === "ToolResult" ? part.text.length : 0)

/**
 * A talk without the results of tools that lie far back, where that frees much at once: a provider's cache holds what
 * came before the first change. Sizes are in characters.
 */
export const pruned = (talk: Talk, keep: number, least: number): Talk => {
  let kept = 0
  let freed = 0
  const parts = talk.parts.toReversed().map((part) => {
    const size = sizeOf(part)
    if (part._tag !== "ToolResult" || kept + size <= keep || size <= forgotten.length) {
      kept += size
      return part
    }
    freed += size
    return { ...part, text: forgotten }
  })
  return freed >= least ? { ...talk, parts: parts.toReversed() } : talk
}
