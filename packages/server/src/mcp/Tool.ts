/** What a tool of the Model Context Protocol is made of, and what it answers. */
import { Effect, Schema } from "effect"
import { inWords, shapeProblems } from "@pawl/core/primitives/ShapeProblems"
import { ServerLimits } from "../ServerLimits.ts"
import { type ToolApi, ToolRefused } from "./ToolApi.ts"

/** What a tool works with. */
export interface ToolContext {
  readonly api: ToolApi
  /** Where people reach the server: for links. Without a path. */
  readonly origin: string
  /** Puts a text that strangers may have written into a fence, of which `of` says where it comes from. */
  readonly fenced: (of: string, text: string) => string
}

/** What a tool answers: a short text for the model, and the same as JSON for programs. */
export interface ToolAnswer {
  readonly text: string
  readonly structured: Readonly<Record<string, unknown>>
  /**
   * Fields of `structured` that strangers may have written, such as `tasks[].title`: there a text stands as it is, for
   * programs, and what holds it is JSON's own quotes. In `text` each is fenced.
   */
  readonly untrusted: ReadonlyArray<string>
}

interface About {
  readonly name: string
  readonly title: string
  /** For the model: what it does, what it answers, and when to use it. */
  readonly description: string
  /** Whether it only reads. */
  readonly reads: boolean
}

const standard = <S extends Schema.Codec<unknown, unknown>>(input: S) =>
  Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(input))

/** A tool, whatever it takes. */
export interface Tool extends About {
  /** As Standard Schema, with its JSON Schema. */
  readonly input: ReturnType<typeof standard>
  /** Takes whatever was sent; what does not fit `input` is refused as `invalid_input`. */
  readonly call: (input: unknown, context: ToolContext) => Effect.Effect<ToolAnswer, ToolRefused>
}

/** What is wrong with arguments: the first fields that are, each with its reason. */
const misfit = (name: string, error: Schema.SchemaError): ToolRefused => {
  const problems = shapeProblems(error).slice(0, ServerLimits.fieldsNamed)
  return new ToolRefused({
    code: "invalid_input",
    detail: `The arguments of ${name} do not fit: ${problems.map(inWords).join("; ")}.`,
    facts: { issues: problems.map(({ message, path }) => ({ field: path.map(String).join("."), reason: message })) }
  })
}

/** A tool whose input is what its schema says. */
export const tool = <I>(
  about: About & {
    readonly input: Schema.Codec<I, unknown>
    readonly run: (input: I, context: ToolContext) => Effect.Effect<ToolAnswer, ToolRefused>
  }
): Tool => {
  const { input, run, ...rest } = about
  const decoded = Schema.decodeUnknownEffect(input, { errors: "all" })
  return {
    ...rest,
    input: standard(input),
    call: (given, context) =>
      Effect.flatMap(
        Effect.mapError(decoded(given), (error) => misfit(rest.name, error)),
        (known) => run(known, context)
      )
  }
}
