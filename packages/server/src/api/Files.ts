/** Files in requests, by path: text, or `{ base64 }` for any bytes; `null` deletes where something can be deleted. */
import { type FileContent, type FileEdits } from "@pawl/core/project/Repositories"
import { Effect, Schema, type SchemaAST, SchemaIssue } from "effect"
import { toldAs } from "./DocumentSchemas.ts"

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isContent = (value: unknown): value is FileContent =>
  typeof value === "string" ||
  (typeof value === "object" && value !== null && "base64" in value && typeof value.base64 === "string")

const values = "a text or { base64 }"

/** Read as they are, without a copy: a body of files may have 10 MiB. Paths are judged by the use cases. */
const filesOf = (deletable: boolean) => {
  const wanted = deletable ? `${values}, or null to delete` : values
  const content = [
    { type: "string" },
    { type: "object", required: ["base64"], properties: { base64: { type: "string", contentEncoding: "base64" } } }
  ]
  const refused = (message: string, input: unknown, options: SchemaAST.ParseOptions) =>
    new SchemaIssue.InvalidValue({ message }, input, options)
  return Schema.declareConstructor<FileEdits>()(
    [],
    () => (input, _, options) => {
      if (!isObject(input))
        return Effect.fail(refused(`use an object of files by path: each ${wanted}`, input, options))
      for (const [path, each] of Object.entries(input))
        if (!isContent(each) && !(deletable && each === null))
          return Effect.fail(new SchemaIssue.Pointer([path], refused(`use ${wanted}`, each, options)))
      return Effect.succeed(input as FileEdits)
    },
    // They are JSON as they are.
    { toCodecJson: () => undefined }
  ).check(
    toldAs({
      type: "object",
      additionalProperties: { anyOf: deletable ? [...content, { type: "null" }] : content }
    })
  )
}

/** Files to begin with: nothing is there that could be deleted. */
export const SeedFiles: Schema.Codec<FileEdits> = filesOf(false)
/** Files to write, and with `null` files to delete. */
export const EditedFiles: Schema.Codec<FileEdits> = filesOf(true)
