/** `pawl.json` at the root of the source: the checks and probes of a Project (decisions, "Shapes that clients rely on"). */
import { Either, ParseResult, Schema } from "effect"
import { Limits } from "../primitives/Limits.ts"
import { isTextTooDeep, tooDeep } from "../primitives/Nesting.ts"
import { Glob } from "./Globs.ts"

const CheckId = Schema.String.pipe(
  Schema.pattern(/^[a-z0-9-]{1,64}$/, { message: () => "a check id is 1 to 64 of a-z, 0-9 and -" }),
  Schema.filter((id) => id !== "build" || "the check id build is taken")
)

export const PawlCheck = Schema.Struct({
  id: CheckId,
  title: Schema.optional(Schema.String.pipe(Schema.maxLength(200))),
  command: Schema.String.pipe(
    Schema.minLength(1),
    Schema.maxLength(Limits.checkCommandLength),
    Schema.filter((command) => !command.includes("\0") || "a command holds no NUL")
  ),
  required: Schema.optionalWith(Schema.Boolean, { default: () => true }),
  /** Globs of the files that it stands on. Without them: tests by their names, and the files that the command names. */
  files: Schema.optionalWith(Schema.Array(Glob).pipe(Schema.maxItems(Limits.checkFiles)), { exact: true }),
  timeoutMs: Schema.optionalWith(Schema.Number.pipe(Schema.int(), Schema.between(1, Limits.checkTimeoutMaxMs)), {
    default: () => Limits.checkTimeoutMs
  })
})
export interface PawlCheck extends Schema.Schema.Type<typeof PawlCheck> {}

export const PawlProbe = Schema.Struct({
  path: Schema.String.pipe(
    Schema.pattern(/^\/[^\s]*$/, { message: () => "a probe path starts with / and has no white space" }),
    Schema.maxLength(1024)
  ),
  status: Schema.optionalWith(Schema.Number.pipe(Schema.int(), Schema.between(100, 599)), { default: () => 200 }),
  json: Schema.optional(Schema.Boolean)
})
export interface PawlProbe extends Schema.Schema.Type<typeof PawlProbe> {}

export const PawlFile = Schema.Struct({
  checks: Schema.optionalWith(
    Schema.Array(PawlCheck).pipe(
      Schema.maxItems(Limits.checksPerPlan - 1),
      Schema.filter(
        (checks) => new Set(checks.map((check) => check.id)).size === checks.length || "two checks have the same id"
      )
    ),
    { default: () => [] }
  ),
  probes: Schema.optionalWith(Schema.Array(PawlProbe).pipe(Schema.maxItems(Limits.probesPerProject)), {
    default: () => []
  })
})
export interface PawlFile extends Schema.Schema.Type<typeof PawlFile> {}

const decode = Schema.decodeUnknownEither(Schema.parseJson(PawlFile))

/** Reads `pawl.json`; on the left, what is wrong with it in words. */
export const parsePawlFile = (text: string): Either.Either<PawlFile, string> =>
  isTextTooDeep(text)
    ? Either.left(tooDeep)
    : Either.mapLeft(decode(text), (error) => {
        const issue = ParseResult.ArrayFormatter.formatErrorSync(error)[0]
        return issue === undefined
          ? error.message
          : `${issue.path.length > 0 ? `${issue.path.join(".")}: ` : ""}${issue.message}`
      })

const Package = Schema.parseJson(
  Schema.Struct({
    scripts: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { default: () => ({}) })
  })
)

export const packageFile = "package.json"

/** A package.json with some scripts put over its own; null for a text that is none. */
export const withScripts = (text: string, scripts: Scripts): string | null => {
  if (isTextTooDeep(text)) return null
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read !== "object" || read === null || Array.isArray(read)) return null
    return JSON.stringify({ ...read, scripts: { ...scriptsOf(text), ...scripts } })
  } catch {
    return null
  }
}

/** The scripts of a package.json, by name. */
export type Scripts = Readonly<Record<string, string>>

/** None for a text that is no package.json. */
export const scriptsOf = (text: string): Scripts => {
  const parsed = Schema.decodeUnknownOption(Package)(text)
  return parsed._tag === "None" ? {} : parsed.value.scripts
}

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
