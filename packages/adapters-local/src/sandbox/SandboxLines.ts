/** How a sandbox is asked from afar: the port as lines of JSON, a request and an answer with the same number. */
import { Guarantee, type SandboxJob, type SandboxResult } from "@pawl/core/verification/Sandbox"
import { Schema } from "effect"

const Files = Schema.Array(
  Schema.Struct({ path: Schema.String, content: Schema.Uint8ArrayFromBase64, executable: Schema.Boolean })
)

const Job = Schema.Struct({
  id: Schema.String,
  command: Schema.String,
  files: Files,
  packages: Schema.optionalKey(Schema.String),
  collect: Schema.optionalKey(
    Schema.Struct({ paths: Schema.Array(Schema.String), maxBytes: Schema.Finite, maxFiles: Schema.Finite })
  ),
  environment: Schema.Record(Schema.String, Schema.String),
  limits: Schema.Struct({
    wallMs: Schema.Finite,
    cpuSeconds: Schema.Finite,
    memoryBytes: Schema.Finite,
    processes: Schema.Finite,
    diskBytes: Schema.Finite,
    outputBytes: Schema.Finite
  })
})

const Isolation = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  guarantees: Schema.Array(Guarantee),
  tools: Schema.optionalKey(Schema.String)
})

const Result = Schema.Struct({
  outcome: Schema.Union([
    Schema.TaggedStruct("Exited", { code: Schema.Finite }),
    Schema.TaggedStruct("TimedOut", { afterMs: Schema.Finite }),
    Schema.TaggedStruct("OutOfMemory", {}),
    Schema.TaggedStruct("Killed", { signal: Schema.String })
  ]),
  output: Schema.Uint8ArrayFromBase64,
  outputTruncated: Schema.Boolean,
  collected: Schema.optionalKey(
    Schema.Union([
      Schema.TaggedStruct("Files", { files: Files }),
      Schema.TaggedStruct("TooMuch", { reason: Schema.String })
    ])
  ),
  isolation: Isolation,
  startedAtMs: Schema.Finite,
  finishedAtMs: Schema.Finite
})

/** What is asked. */
export const SandboxRequest = Schema.Union([
  Schema.TaggedStruct("Isolation", {}),
  Schema.TaggedStruct("Start", { job: Job }),
  Schema.TaggedStruct("Poll", { id: Schema.String, waitMs: Schema.Finite }),
  Schema.TaggedStruct("Cancel", { id: Schema.String })
])
export type SandboxRequest = typeof SandboxRequest.Type

/** What is answered. `Missing` and `Unavailable` are the errors of the port. */
export const SandboxAnswer = Schema.Union([
  Schema.TaggedStruct("Isolated", { isolation: Isolation }),
  Schema.TaggedStruct("Started", {}),
  Schema.TaggedStruct("Running", {}),
  Schema.TaggedStruct("Finished", { result: Result }),
  Schema.TaggedStruct("Cancelled", {}),
  Schema.TaggedStruct("Missing", { reason: Schema.String, remedy: Schema.String }),
  Schema.TaggedStruct("Unavailable", { reason: Schema.String, lasting: Schema.optionalKey(Schema.Boolean) })
])
export type SandboxAnswer = typeof SandboxAnswer.Type

const numbered = <S extends Schema.Top>(body: S) =>
  Schema.fromJsonString(Schema.Struct({ number: Schema.Finite, body }))

/** A request as a line. */
export const RequestLine = numbered(SandboxRequest)
/** Its answer as a line. */
export const AnswerLine = numbered(SandboxAnswer)

const listed = (files: SandboxJob["files"]) => Array.from(files, ([path, file]) => ({ path, ...file }))
const mapped = (files: typeof Files.Type): SandboxJob["files"] =>
  new Map(files.map(({ content, executable, path }) => [path, { content, executable }]))

/** A job as it is written. */
export const jobLine = (job: SandboxJob): typeof Job.Type => ({ ...job, files: listed(job.files) })
/** A job as it is read. */
export const jobOf = (job: typeof Job.Type): SandboxJob => ({ ...job, files: mapped(job.files) })

/** A result as it is written. */
export const resultLine = ({ collected, ...rest }: SandboxResult): typeof Result.Type => ({
  ...rest,
  ...(collected === undefined
    ? {}
    : { collected: collected._tag === "Files" ? { ...collected, files: listed(collected.files) } : collected })
})
/** A result as it is read. */
export const resultOf = ({ collected, ...rest }: typeof Result.Type): SandboxResult => ({
  ...rest,
  ...(collected === undefined
    ? {}
    : { collected: collected._tag === "Files" ? { ...collected, files: mapped(collected.files) } : collected })
})
