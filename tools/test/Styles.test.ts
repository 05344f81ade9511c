import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const src = join(import.meta.dirname, "../../packages/console/src")

/** The class that each rule of a sheet begins with. */
const classesOf = (sheet: string): ReadonlySet<string> =>
  new Set(
    Array.from(sheet.replaceAll(/\/\*[\s\S]*?\*\//g, "").matchAll(/[^{};]+(?=\{)/g), ([rule]) => rule.split(","))
      .flat()
      .flatMap((selector) => /^\s*[a-z]*\.([\w-]+)/.exec(selector)?.[1] ?? [])
  )

/** The parts that all screens are made of. */
const parts = classesOf(readFileSync(join(src, "styles/ui.css"), "utf8"))

it("styles of one screen of the console begin with no class that those of another begin with: the sheets of all come to one page", () => {
  const owners = new Map<string, Array<string>>()
  for (const path of globSync("*/*.css", { cwd: src }).filter((each) => !each.startsWith("styles/")))
    for (const name of classesOf(readFileSync(join(src, path), "utf8")))
      if (!parts.has(name)) owners.set(name, [...(owners.get(name) ?? []), path])
  expect(owners.size).toBeGreaterThan(100)
  expect([...owners].filter(([, paths]) => paths.length > 1)).toEqual([])
})
