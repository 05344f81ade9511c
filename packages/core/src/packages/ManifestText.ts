/** package.json as a text that is written anew: it keeps its indentation, and its end of the file. */
import { utf8 } from "../primitives/Digest.ts"
import { type JsonObject, readObject } from "./PackageManifest.ts"
import { wholeText } from "../primitives/Utf8.ts"

/** A package.json that can be written again. */
export interface ManifestText {
  readonly object: JsonObject
  readonly indent: string
  readonly ending: string
}

/** Reads it, or says in words why it cannot be read. */
export const readManifestText = (bytes: Uint8Array): ManifestText | { readonly wrong: string } => {
  const text = wholeText(bytes)
  const read = readObject(text)
  if ("wrong" in read) return read
  return {
    object: read.object,
    indent: /^\s*\{\r?\n([ \t]{1,10})"/.exec(text ?? "")?.[1] ?? "  ",
    ending: text?.endsWith("\n") === true ? "\n" : ""
  }
}

/** The bytes of another object in the form of this text. */
export const writeManifest = ({ ending, indent }: ManifestText, object: JsonObject): Uint8Array =>
  utf8(JSON.stringify(object, null, indent) + ending)

/** An object of some entries; one that is called `__proto__` is an entry like any other. */
export const objectOf = (entries: Iterable<readonly [string, unknown]>): JsonObject => Object.fromEntries(entries)
