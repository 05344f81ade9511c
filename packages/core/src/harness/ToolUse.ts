/**
 * Carries out one call of a tool. What is done to files is pure and done again by who comes back to a run; what was run
 * or read elsewhere is remembered. Strangers' words are fenced before a model is told of them.
 */
import { Effect, Schema } from "effect"
import { AppLogs } from "../app/AppLogs.ts"
import { Records } from "../ledger/Records.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { sha256 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import { wordsOf } from "../primitives/Words.ts"
import { jobOf, runCounted } from "../verification/CommandRun.ts"
import { noBudgetReason } from "../verification/SandboxBudget.ts"
import type { SandboxResult } from "../verification/Sandbox.ts"
import { layerOf } from "../packages/SourceLayer.ts"
import { inSandbox } from "../verification/SandboxSlots.ts"
import { why } from "../why/Why.ts"
import { checked, refusal } from "./DoneGate.ts"
import * as FileTools from "../agent/FileTools.ts"
import type { FileAnswer, ToolAnswer } from "../agent/FileTools.ts"
import { fingerprint, heldAt, type Overlay } from "../agent/Overlay.ts"
import { Syntax } from "../agent/Syntax.ts"
import type { ToolRequest } from "../agent/Tools.ts"
import * as PackageTool from "./PackageTool.ts"
import { filesOf } from "./TreeChecks.ts"
import { fenced } from "../agent/Untrusted.ts"
import type { Workplace } from "./Workplace.ts"
import { textOf } from "../primitives/Utf8.ts"

/** A call that is carried out: those that end the work at once are none of it. */
export type Usable = Exclude<ToolRequest, { readonly name: "answer" | "give_up" }>

/** What became of the files, and what the model is told. */
export interface Used extends ToolAnswer {
  readonly overlay: Overlay
  /** What it said without a fence. */
  readonly plain: string
  /** The files are another's than those that this call was made on before: nothing more is known of the run. */
  readonly diverged: boolean
  /** The work is done. */
  readonly ended: boolean
}

/** What a call said that is not carried out again. */
const Said = Schema.Struct({
  text: Schema.String,
  failed: Schema.Boolean,
  /** What the files were: whoever builds them again has the same, or is another version of this program. */
  files: Schema.String
})
/** As it is kept. */
export type Said = typeof Said.Type

type FileRequest = Extract<ToolRequest, { readonly name: "list" | "read" | "search" | "edit" | "write" | "remove" }>
type PackageRequest = Extract<ToolRequest, { readonly name: "add_package" }>
type OutsideRequest = Exclude<Usable, FileRequest | PackageRequest>

const isOfFiles = (request: Usable): request is FileRequest =>
  ["list", "read", "search", "edit", "write", "remove"].includes(request.name)

const touched = (overlay: Overlay, request: FileRequest, syntax: FileTools.SyntaxCheck): FileAnswer => {
  switch (request.name) {
    case "list":
      return FileTools.list(overlay, request.input.folder ?? "")
    case "read":
      return FileTools.read(overlay, request.input.path, request.input.from ?? 1)
    case "search":
      return FileTools.search(overlay, request.input.text)
    case "edit":
      return FileTools.edit(overlay, request.input.path, request.input, syntax)
    case "write":
      return FileTools.write(overlay, request.input.path, request.input.text, syntax)
    case "remove":
      return FileTools.remove(overlay, request.input.path)
  }
}

/** What a call does to files. A text that could be parsed before and cannot be any more is refused. */
export const onFiles = Effect.fnUntraced(function* (overlay: Overlay, request: FileRequest) {
  const made = touched(overlay, request, () => null)
  if (made.failed || (request.name !== "edit" && request.name !== "write")) return made
  const { path } = request.input
  const [held, own] = [heldAt(overlay, path), heldAt(made.overlay, path)]
  if (own._tag !== "Text") return made
  const { check } = yield* Syntax
  const problem = yield* check(path, own.text)
  if (problem === null) return made
  const before = held._tag === "Text" ? yield* check(path, held.text) : null
  return touched(overlay, request, (_, text) => (text === own.text ? problem : before))
})

const labelOf = (request: Usable): string => {
  switch (request.name) {
    case "read":
      return `file ${request.input.path}`
    case "run":
      return "output of the command"
    case "app_logs":
      return "log of the live app"
    default:
      return request.name
  }
}

/** What tells of a change in few words of ours is not fenced. */
const isOurs = (request: Usable, failed: boolean): boolean =>
  !failed && ["edit", "write", "remove", "add_package"].includes(request.name)

const cut = (text: string): string =>
  text.length > Limits.agentResultChars ? `${text.slice(0, Limits.agentResultChars)}\n(the rest is not shown)` : text

/** A quarter from its beginning, the rest from its end. */
const ends = (text: string): string => {
  const most = Limits.agentOutputChars
  if (text.length <= most) return text
  const head = Math.floor(most / 4)
  return `${text.slice(0, head)}\n(${text.length - most} characters are not shown)\n${text.slice(-(most - head))}`
}

const ending = ({ outcome }: SandboxResult): string => {
  switch (outcome._tag) {
    case "Exited":
      return `exit ${outcome.code}`
    case "TimedOut":
      return `no end after ${outcome.afterMs} ms: it was killed`
    case "OutOfMemory":
      return "it used too much memory, and was killed"
    case "Killed":
      return `it was killed by ${outcome.signal}`
  }
}

type Told = Omit<Said, "files">

const told = (text: string): Told => ({ text, failed: false })
const failed = (text: string): Told => ({ text, failed: true })

/** Runs a command on a copy of the files. All that it printed is kept, for people. */
const run = Effect.fnUntraced(
  function* (place: Workplace, overlay: Overlay, command: string, name: string) {
    const { projectId } = place.job.task
    if (command === "" || command.length > Limits.checkCommandLength || command.includes("\0"))
      return failed(`a command has 1 to ${Limits.checkCommandLength} characters, and no NUL`)
    const noTime = yield* noBudgetReason(projectId)
    if (noTime !== null) return failed(noTime)
    const files = filesOf(place.source, overlay)
    const layer = yield* layerOf(files)
    const job = jobOf({
      id: `${place.job.run.id}-${name}`,
      command,
      files,
      wallMs: Limits.agentCommandMs,
      ...(layer === null ? {} : { packages: layer.id })
    })
    const result = yield* inSandbox(place.job.task, place.running, runCounted(projectId, job))
    const key = `context/${projectId}/${place.job.run.id}/${name}.txt`
    yield* (yield* ObjectStore).put(key, result.output).pipe(Effect.catchTag("InvalidKey", Effect.die))
    const text = `${ending(result)}\n${ends(textOf(result.output))}`
    return result.outcome._tag === "Exited" && result.outcome.code === 0 ? told(text) : failed(text)
  },
  Effect.catchTags({
    PackagesRefused: (refused) => Effect.succeed(failed(wordsOf(refused))),
    PackagesUnavailable: (away) => Effect.succeed(failed(wordsOf(away))),
    IsolationMissing: (missing) => Effect.succeed(failed(wordsOf(missing))),
    SandboxUnavailable: (away) => Effect.succeed(failed(wordsOf(away)))
  })
)

const appLogs = Effect.fnUntraced(function* ({ job }: Workplace) {
  const lines = yield* (yield* AppLogs).read(job.task.projectId, { limit: Limits.agentLogLines, channel: "production" })
  const text = lines.map(({ level, source, text, time }) => `${time} ${level} ${source} ${text}`).join("\n")
  return told(lines.length === 0 ? "The live app has logged nothing." : text.slice(-Limits.agentOutputChars))
})

/** Of the newest Candidate of the Change. Who approved what is none of an agent's business. */
const whyHere = Effect.fnUntraced(function* ({ job }: Workplace) {
  const newest = yield* (yield* Records).list("candidate", {
    where: { changeId: job.change.id },
    order: "newest",
    limit: 1
  })
  const candidate = newest.items[0]?.record
  if (candidate === undefined) return told("This Change has no Candidate yet: nothing of it was composed or checked.")
  const said = yield* why(candidate.id).pipe(
    // It was there a moment ago, and is only read.
    Effect.catchTags({ Unknown: Effect.die, ProjectArchived: Effect.die, InvalidKey: Effect.die })
  )
  const rows = [
    `The newest Candidate is ${said.candidate.status}${said.candidate.reason === null ? "" : `: ${said.candidate.reason}`}`,
    `The Change is ${said.change.status}${said.change.reason === null ? "" : `: ${said.change.reason}`}`,
    ...said.blocks.map(({ code, detail }) => `${code}: ${detail}`),
    ...(said.conflicts.length === 0 ? [] : [`These could not be merged: ${said.conflicts.join(", ")}`]),
    ...said.tasks.map(
      ({ key, reason, status }) => `The Task ${key} is ${status}${reason === null ? "" : `: ${reason}`}`
    ),
    ...said.checks.map(
      ({ checkId, output, verdict }) => `${checkId}: ${verdict}${output === null ? "" : `\n${output.trim()}`}`
    )
  ]
  return told(rows.join("\n"))
})

const outside = Effect.fnUntraced(function* (
  place: Workplace,
  overlay: Overlay,
  request: OutsideRequest,
  name: string
) {
  const id = `${place.job.run.id}-${name}`
  switch (request.name) {
    case "run":
      return yield* run(place, overlay, request.input.command, name)
    case "check":
      return told(yield* checked(place, overlay, id))
    case "app_logs":
      return yield* appLogs(place)
    case "why":
      return yield* whyHere(place)
    case "done": {
      const reason = yield* refusal(place, overlay, id)
      return reason === null ? told("done") : failed(reason)
    }
  }
})

const remembered = Effect.fnUntraced(function* (
  place: Workplace,
  overlay: Overlay,
  request: OutsideRequest,
  name: string
) {
  const files = yield* sha256(`${place.job.source.tree} ${yield* fingerprint(overlay)}`)
  const said = yield* place.job.remember(
    name,
    Said,
    Effect.map(outside(place, overlay, request, name), (each) => ({ ...each, files }))
  )
  return { ...said, overlay, diverged: said.files !== files }
})

const Adding = Schema.Struct({ ...PackageTool.Locked.fields, files: Schema.String })

/** The lock that was made is remembered; the files are made of it again. */
const adding = Effect.fnUntraced(function* (
  place: Workplace,
  overlay: Overlay,
  { input: { dev = false, name, range } }: PackageRequest,
  call: string
) {
  const added = { name, range, dev }
  const files = yield* sha256(`${place.job.source.tree} ${yield* fingerprint(overlay)}`)
  const said = yield* place.job.remember(
    call,
    Adding,
    PackageTool.locked(place, overlay, added, call).pipe(
      Effect.catchTag("InvalidKey", Effect.die),
      Effect.map((each) => ({ ...each, files }))
    )
  )
  const diverged = said.files !== files
  if (diverged) return { ...said, overlay, diverged }
  return yield* PackageTool.applied(overlay, added, said).pipe(
    Effect.map((made) => ({ ...said, overlay: made, diverged })),
    Effect.catchTags({
      InvalidKey: Effect.die,
      // What this run was told is kept no more: it cannot be gone on with.
      ObjectMissing: () => Effect.succeed({ ...said, overlay, diverged: true })
    })
  )
})

/** Carries out the `at`th call of a turn, both from 1 on. */
export const use = Effect.fnUntraced(function* (
  place: Workplace,
  overlay: Overlay,
  request: Usable,
  { at, turn }: { readonly turn: number; readonly at: number }
) {
  const name = `tool-${turn}-${at}`
  const said = isOfFiles(request)
    ? { ...(yield* onFiles(overlay, request)), diverged: false }
    : request.name === "add_package"
      ? yield* adding(place, overlay, request, name)
      : yield* remembered(place, overlay, request, name)
  const text = cut(said.text)
  return {
    overlay: said.overlay,
    diverged: said.diverged,
    failed: said.failed,
    ended: request.name === "done" && !said.failed,
    plain: text,
    text: isOurs(request, said.failed) ? text : fenced(place.fence, labelOf(request), text)
  } satisfies Used
})
