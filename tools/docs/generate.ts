/**
 * `npm run docs`: writes the pages of `docs/` that are made from the code. With `--check` it writes nothing and fails
 * when a page is not what the code says. Run it with `--conditions=pawl-source`, so that it reads the sources.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { generatedPages } from "./Pages.ts"

const root = join(import.meta.dirname, "../..")
const check = process.argv.includes("--check")

const current = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}

const changed = generatedPages().filter(({ path, text }) => current(join(root, path)) !== text)
for (const { path, text } of changed) {
  console.log(`${check ? "out of date" : "written"}: ${path}`)
  if (check) continue
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
console.log(
  changed.length === 0
    ? "every generated page is what the code says"
    : `${changed.length} of ${generatedPages().length} pages`
)
if (check && changed.length > 0) process.exitCode = 1
