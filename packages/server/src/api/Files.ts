/** Files in requests, by path: text, or `{ base64 }` for any bytes; `null` deletes where something can be deleted. */
import { type FileContent, type FileEdits } from "@pawl/core/project/Repositories"
import { ParseResult, Schema } from "effect"

const isContent = (value: unknown): value is FileContent =>
  typeof value === "string" ||
  (typeof value === "object" && value !== null && "base64" in value && typeof value.base64 === "string")

const values = "a text or { base64 }"

/** Read as they are, without a copy: a body of files may have 10 MiB. Paths are judged by the use cases. */
const filesOf = (deletable: boolean) => {
  const wanted = deletable ? `${values}, or null to delete` : values
  const read = (input: unknown, _: unknown, ast: Schema.Schema.Any["ast"]) => {
    if (typeof input !== "object" || input === null || Array.isArray(input))
      return ParseResult.fail(new ParseResult.Type(ast, input, `use an object of files by path: each ${wanted}`))
    for (const [path, content] of Object.entries(input))
      if (!isContent(content) && !(deletable && content === null))
        return ParseResult.fail(new ParseResult.Pointer(path, input, new ParseResult.Type(ast, null, `use ${wanted}`)))
    return ParseResult.succeed(input as FileEdits)
  }
  const content = [
    { type: "string" },
    { type: "object", required: ["base64"], properties: { base64: { type: "string", contentEncoding: "base64" } } }
  ]
  return Schema.declare(
    [],
    { decode: () => read, encode: () => read },
    {
      jsonSchema: {
        type: "object",
        additionalProperties: { anyOf: deletable ? [...content, { type: "null" }] : content }
      }
    }
  )
}

export const SeedFiles: Schema.Codec<FileEdits> = filesOf(false)
export const EditedFiles: Schema.Codec<FileEdits> = filesOf(true)
