/**
 * Scenes of edits: folders of `AgentScenes`, each with the files before (`input`), the calls of tools (`edit.json`) and
 * the files afterwards (`expected`; none where nothing may have changed).
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Schema } from "effect"

/** One call of a tool, and how it must end. */
export const SceneCall = Schema.Struct({
  /** `read`, `edit`, `write` or `remove`. */
  name: Schema.Literals(["read", "edit", "write", "remove"]),
  /** As the tool of this name takes it. */
  input: Schema.Struct({
    path: Schema.String,
    old: Schema.optionalKey(Schema.String),
    new: Schema.optionalKey(Schema.String),
    all: Schema.optionalKey(Schema.Boolean),
    text: Schema.optionalKey(Schema.String)
  }),
  /** It must be refused with words that hold these; without it, it must be carried out. */
  refused: Schema.optionalKey(Schema.String)
})
export interface SceneCall extends Schema.Schema.Type<typeof SceneCall> {}

const Calls = Schema.fromJsonString(
  Schema.Struct({
    /** Whether it takes a parser of TypeScript and JavaScript. */
    parser: Schema.optionalKey(Schema.Boolean),
    calls: Schema.Array(SceneCall)
  })
)

/** A scene, whole. */
export interface EditScene {
  /** `001_one_line`. */
  readonly name: string
  /** Whether it takes a parser of TypeScript and JavaScript. */
  readonly parser: boolean
  readonly calls: ReadonlyArray<SceneCall>
  /** Bytes by path. */
  readonly input: ReadonlyMap<string, Uint8Array>
  /** Bytes by path, all of them. */
  readonly expected: ReadonlyMap<string, Uint8Array>
}

const root = fileURLToPath(new URL("../../AgentScenes/", import.meta.url))

const filesBelow = (folder: string, path = ""): ReadonlyArray<readonly [string, Uint8Array]> =>
  readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
    const own = path === "" ? entry.name : `${path}/${entry.name}`
    return entry.isDirectory()
      ? filesBelow(folder, own)
      : [[own, new Uint8Array(readFileSync(join(folder, own)))] as const]
  })

/** All scenes, in the order of their names. */
export const editScenes = (): ReadonlyArray<EditScene> =>
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()
    .map((name) => {
      const folder = join(root, name)
      const { calls, parser } = Schema.decodeUnknownSync(Calls)(readFileSync(join(folder, "edit.json"), "utf8"))
      const input = new Map(filesBelow(join(folder, "input")))
      const after = join(folder, "expected")
      return {
        name,
        parser: parser === true,
        calls,
        input,
        expected: existsSync(after) ? new Map(filesBelow(after)) : input
      }
    })
