/** The templates as they lie in this package's `templates/` folder. */
import { readdir, readFile } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import type { FileContent, FileEdits } from "@pawl/core/project/Repositories"
import { type TemplateName, Templates } from "@pawl/core/project/Templates"
import { exactText } from "@pawl/core/primitives/Utf8"
import { Effect, Layer } from "effect"

// The same place from src/node and from dist/node.
const home = fileURLToPath(new URL("../../templates", import.meta.url))

/** What operating systems leave behind in folders. */
const isJunk = (name: string): boolean =>
  [".DS_Store", "Thumbs.db", "desktop.ini"].includes(name) || name.startsWith("._")

/** Text stays text; what is not UTF-8 becomes base64. */
const contentOf = (bytes: Buffer): FileContent => exactText(bytes) ?? { base64: bytes.toString("base64") }

const readFolder = async (folder: string): Promise<FileEdits> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && !isJunk(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  const read = await Promise.all(
    files.map(async (file) => [relative(folder, file).split(sep).join("/"), contentOf(await readFile(file))] as const)
  )
  return Object.fromEntries(read.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Reads a template's files by path. Rejects when the package was installed without its templates. */
export const readTemplate = (template: TemplateName): Promise<FileEdits> => readFolder(join(home, template))

/** Reads each template once, when it is first asked for. */
export const layer: Layer.Layer<Templates> = Layer.effect(
  Templates,
  Effect.gen(function* () {
    const load = (template: TemplateName) => Effect.cached(Effect.promise(() => readTemplate(template)))
    const templates = { shop: yield* load("shop"), blank: yield* load("blank"), react: yield* load("react") }
    return { files: (template) => templates[template] }
  })
)
