/**
 * Prints what tests inside workerd ask this machine for: the code of a build's Worker, the packages that come along, or
 * every example app with what the builder of this machine makes of it.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { layer } from "@pawl/adapters-local/builder/bundler/EsbuildAppBuilder"
import { buildJob, buildOnce } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { Effect } from "effect"
import { bundlerCode, bundlerPackages } from "../../deploy/Bundler.ts"
import { resultText } from "./ResultText.ts"

const folder = join(import.meta.dirname, "../../../../examples")

const names = ["04-ordinary-workers", "05-starters"].flatMap((shelf) =>
  readdirSync(join(folder, shelf), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`${shelf}/${entry.name}`] : []
  )
)

/** Every file of an example, by path; what was installed beside it is none of it. */
const filesOf = (name: string): Readonly<Record<string, Buffer>> => {
  const entries = readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(join(folder, name), path).split(sep).join("/"), path] as const)
      .filter(([inside]) => !inside.startsWith("node_modules/"))
      .map(([inside, path]) => [inside, readFileSync(path)])
  )
}

const examples = Effect.forEach(names, (name) => {
  const files = filesOf(name)
  return Effect.map(buildOnce(buildJob(files, { id: name })), (result) => ({
    name,
    files: Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, bytes.toString("base64")])),
    native: resultText(result)
  }))
})

const texts: Readonly<Record<string, () => Promise<string>>> = {
  code: bundlerCode,
  packages: async () => bundlerPackages(),
  examples: async () => JSON.stringify(await Effect.runPromise(Effect.provide(examples, layer())))
}

process.stdout.write((await texts[process.argv[2] ?? ""]?.()) ?? "")
