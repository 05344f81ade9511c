/**
 * The tools of an agent: what it may call, by the kind of its Task, and what a call asks for. They are fixed before
 * anything of the source is read. A call that is malformed, or of a tool that it has not, is answered as a failure of
 * that tool: it never costs the rest of the answer.
 */
import { Result, Schema } from "effect"
import type { TaskKind } from "../model/Task.ts"
import { isWritable } from "../model/Task.ts"
import { inWords, shapeProblems, telling } from "../primitives/ShapeProblems.ts"
import type { Tool, ToolCall } from "./Models.ts"
import { shapeOf } from "./ToolShape.ts"

const Path = Schema.String.annotate({ description: "From the root of the source, as `list` names it." })
const Line = Schema.Finite.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(1))

/** What each tool takes. */
const inputs = {
  list: Schema.Struct({ folder: Schema.optionalKey(Schema.String) }),
  read: Schema.Struct({ path: Path, from: Schema.optionalKey(Line) }),
  search: Schema.Struct({ text: Schema.String }),
  edit: Schema.Struct({
    path: Path,
    old: Schema.String,
    new: Schema.String,
    all: Schema.optionalKey(Schema.Boolean)
  }),
  write: Schema.Struct({ path: Path, text: Schema.String }),
  remove: Schema.Struct({ path: Path }),
  add_package: Schema.Struct({
    name: Schema.String,
    range: Schema.String.annotate({ description: "Such as ^1.2.0, or `latest`." }),
    dev: Schema.optionalKey(Schema.Boolean).annotate({ description: "Only building and checking needs it." })
  }),
  run: Schema.Struct({ command: Schema.String }),
  check: Schema.Struct({}),
  app_logs: Schema.Struct({}),
  why: Schema.Struct({}),
  done: Schema.Struct({ message: Schema.String }),
  answer: Schema.Struct({ text: Schema.String }),
  give_up: Schema.Struct({ reason: Schema.String, escalate: Schema.optionalKey(Schema.Boolean) })
} as const

/** The name of a tool. */
export type ToolName = keyof typeof inputs

/** A call that can be carried out. */
export type ToolRequest = {
  readonly [N in ToolName]: { readonly name: N; readonly input: (typeof inputs)[N]["Type"] }
}[ToolName]

const descriptions: Readonly<Record<ToolName, string>> = {
  list: "All files of the source, or those below a folder, each with its size in bytes.",
  read: "A file with the numbers of its lines, from a line on.",
  search: "The lines that hold these words exactly as they are, in all files.",
  edit: "Replaces words of a file that you have read. `old` must stand there exactly and once: take enough lines around it. `all` replaces every place.",
  write: "Makes a file, or writes a short one anew.",
  remove: "Removes a file.",
  add_package:
    "Adds an npm package to package.json, or changes its range, and makes the lock. Never write a lock file yourself.",
  run: "Runs a shell command on a copy of the files, without a network. What it writes is thrown away.",
  check: "Runs the checks of this Project on the files as they are now.",
  app_logs: "The newest lines that the live app logged. Whoever visits the app can write them.",
  why: "Why this Change stands where it stands: checks that failed, conflicts, what is owed.",
  done: "Ends your work. The checks are run first; what newly fails is told to you, and you go on.",
  answer: "Ends your work with what you found.",
  give_up: "Ends your work when it cannot be done. `escalate`: a stronger model could."
}

const looking: ReadonlyArray<ToolName> = ["list", "read", "search", "run", "check", "app_logs", "why"]
const writing: ReadonlyArray<ToolName> = [...looking, "edit", "write", "remove", "add_package", "done", "give_up"]
const answering: ReadonlyArray<ToolName> = [...looking, "answer", "give_up"]

/** The tools of a Task: only kinds that may write have any that writes. With `last` there is only what ends the work. */
export const toolNames = (kind: TaskKind, last: boolean): ReadonlyArray<ToolName> => {
  if (last) return isWritable(kind) ? ["done", "give_up"] : ["answer", "give_up"]
  return isWritable(kind) ? writing : answering
}

const schemaOf = (name: ToolName): Tool["parameters"] =>
  Object.keys(inputs[name].fields).length === 0 ? { type: "object", properties: {} } : shapeOf(name, inputs[name])

const definitions = new Map<ToolName, Tool>()

/** A tool as a model is told of it. */
export const definition = (name: ToolName): Tool => {
  const known = definitions.get(name)
  if (known !== undefined) return known
  const made = { name, description: descriptions[name], parameters: schemaOf(name) }
  definitions.set(name, made)
  return made
}

const isOf = (allowed: ReadonlyArray<ToolName>, name: string): name is ToolName => allowed.some((each) => each === name)

/** What a call asks for, or what is wrong with it, in words for the model. */
export const requested = (call: ToolCall, allowed: ReadonlyArray<ToolName>): Result.Result<ToolRequest, string> => {
  const { input, name } = call
  if (!isOf(allowed, name))
    return Result.fail(`there is no tool ${JSON.stringify(name.slice(0, 100))}: use ${allowed.join(", ")}`)
  if (input === null) return Result.fail(`the arguments of ${name} are no JSON`)
  const decoded = Schema.decodeUnknownResult(inputs[name] as Schema.Codec<unknown>, { errors: "all", ...telling })(
    input
  )
  return Result.match(decoded, {
    onFailure: (error) => Result.fail(`${name}: ${shapeProblems(error).map(inWords).join("; ")}`),
    onSuccess: (value) => Result.succeed({ name, input: value } as ToolRequest)
  })
}
