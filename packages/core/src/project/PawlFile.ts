/** `pawl.json` at the root of the source: the checks and probes of a Project (decisions, "Shapes that clients rely on"). */
import { Effect, Result, Schema } from "effect"
import { Limits } from "../primitives/Limits.ts"
import { matching } from "../primitives/TextPattern.ts"
import { isTextTooDeep, tooDeep } from "../primitives/Nesting.ts"
import { inWords, shapeProblems, telling } from "../primitives/ShapeProblems.ts"
import { Glob } from "./Globs.ts"
import { scriptsOf } from "./PackageScripts.ts"

/** The id of a check, that of the build too. */
export const CheckId = Schema.String.check(matching("^[a-z0-9-]{1,64}$", "a check id is 1 to 64 of a-z, 0-9 and -"))

/** A check that a Project defines: a shell line that passes with exit code 0. */
export const PawlCheck = Schema.Struct({
  id: CheckId.check(Schema.makeFilter((id) => id !== "build" || "the check id build is taken")),
  title: Schema.optional(Schema.String.check(Schema.isMaxLength(Limits.checkTitleLength))),
  command: Schema.String.check(
    Schema.isMinLength(1),
    Schema.isMaxLength(Limits.checkCommandLength),
    Schema.makeFilter((command) => !command.includes("\0") || "a command holds no NUL")
  ),
  required: Schema.Boolean.pipe(Schema.withDecodingDefaultType(Effect.succeed(true))),
  /** Globs of the files that it stands on. Without them: tests by their names, and the files that the command names. */
  files: Schema.optionalKey(Schema.Array(Glob).check(Schema.isMaxLength(Limits.checkFiles))),
  /** Globs of the only files that it sees. Without them: the whole tree. */
  inputs: Schema.optionalKey(Schema.Array(Glob).check(Schema.isMinLength(1), Schema.isMaxLength(Limits.checkFiles))),
  timeoutMs: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Limits.checkTimeoutMaxMs })).pipe(
    Schema.withDecodingDefaultType(Effect.succeed(Limits.checkTimeoutMs))
  )
})
export interface PawlCheck extends Schema.Schema.Type<typeof PawlCheck> {}

/** A path that must answer with this status after a release, and with JSON where `json` is true. */
export const PawlProbe = Schema.Struct({
  path: Schema.String.check(
    Schema.isPattern(/^\/[^\s]*$/, { message: "a probe path starts with / and has no white space" }),
    Schema.isMaxLength(Limits.probePathLength)
  ),
  status: Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 })).pipe(
    Schema.withDecodingDefaultType(Effect.succeed(200))
  ),
  json: Schema.optional(Schema.Boolean)
})
export interface PawlProbe extends Schema.Schema.Type<typeof PawlProbe> {}

/** A folder of the source in its plain form, below the root. */
const OutputFolder = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(Limits.checkFilesLength),
  Schema.makeFilter(
    (path) =>
      (!/[\\\0*?]/.test(path) &&
        path.split("/").every((name) => name !== "" && name !== "." && name !== ".." && name !== "node_modules")) ||
      "output is a folder below the root of the source, such as dist"
  )
)

/** How a Project's output is made, where its sources are not bundled as they stand. */
export const PawlBuild = Schema.Struct({
  /** A shell line, run in the root of the tree without network. */
  command: Schema.String.check(
    Schema.isMinLength(1),
    Schema.isMaxLength(Limits.checkCommandLength),
    Schema.makeFilter((command) => !command.includes("\0") || "a command holds no NUL")
  ),
  /** The folder that it leaves its output in. Without it: what the settings name, else the usual folders. */
  output: Schema.optionalKey(OutputFolder)
})
export interface PawlBuild extends Schema.Schema.Type<typeof PawlBuild> {}

/** The whole of `pawl.json`. A list that is left out is empty. */
export const PawlFile = Schema.Struct({
  checks: Schema.Array(PawlCheck)
    .check(
      Schema.isMaxLength(Limits.checksPerPlan - 1),
      Schema.makeFilter(
        (checks) => new Set(checks.map((check) => check.id)).size === checks.length || "two checks have the same id"
      )
    )
    .pipe(Schema.withDecodingDefaultType(Effect.succeed([]))),
  probes: Schema.Array(PawlProbe)
    .check(Schema.isMaxLength(Limits.probesPerProject))
    .pipe(Schema.withDecodingDefaultType(Effect.succeed([]))),
  build: Schema.optionalKey(PawlBuild)
})
export interface PawlFile extends Schema.Schema.Type<typeof PawlFile> {}

const decode = Schema.decodeUnknownResult(PawlFile, telling)

/** What a text says as JSON. Where it says nothing, the engine tells at which place, which no schema does. */
const jsonOf = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(text),
    catch: (error) => (error instanceof Error ? error.message : String(error))
  })

/** Reads `pawl.json`; where it fails, what is wrong with it in words. */
export const parsePawlFile = (text: string): Result.Result<PawlFile, string> =>
  isTextTooDeep(text)
    ? Result.fail(tooDeep)
    : Result.flatMap(jsonOf(text), (value) =>
        Result.mapError(decode(value), (error) => shapeProblems(error).map(inWords)[0] ?? error.message)
      )

/** The file that this module reads. */
export const pawlFile = "pawl.json"

/** Without a `pawl.json`, the scripts `typecheck` and `test` of package.json are the checks. */
export const checksOfPackage = (text: string): ReadonlyArray<PawlCheck> => {
  const scripts = scriptsOf(text)
  return (["typecheck", "test"] as const).flatMap((id) => {
    const command = Object.hasOwn(scripts, id) ? scripts[id] : undefined
    return command === undefined || command === ""
      ? []
      : [{ id, title: `npm script ${id}`, command, required: true, timeoutMs: Limits.checkTimeoutMs }]
  })
}
