/** The contact sheet of the console has every screen that there is. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { shotsOf } from "../screens/Paths.ts"
import { fileOf, sheetLooks, sheetOf } from "../screens/Sheet.ts"

const shots = shotsOf({
  waiting: "chg_1",
  rejected: "chg_2",
  promoted: "chg_3",
  stopped: "chg_4",
  open: "chg_5",
  sent: "chg_6",
  organization: "org_1",
  webhook: "wh_1"
})

it("shows each route of the console, and each tab of a Change", () => {
  const source = readFileSync(join(import.meta.dirname, "../../packages/console/src/shell/Screens.ts"), "utf8")
  const tabs = readFileSync(join(import.meta.dirname, "../../packages/console/src/change/ChangeTabs.tsx"), "utf8")
  const routes = Array.from(source.matchAll(/\bat\("([^"]+)"/g), ([, path]) => path!)
  expect(routes.length).toBeGreaterThan(20)
  const paths = shots.map(({ path }) => path.replace(/\?.*/, ""))
  const missing = routes.filter((route) => {
    const shape = new RegExp(`^${route.replace(/\/:\w+\?/g, "(/[^/]+)?").replace(/:\w+/g, "[^/]+")}$`)
    return !paths.some((path) => shape.test(path))
  })
  expect(missing).toEqual([])
  for (const [, tab] of tabs.matchAll(/name: "([a-z]+)"/g)) expect(paths).toContain(`/changes/chg_1/${tab}`)
})

it("has a picture of each in both themes, wide and narrow, each in a file of its own", () => {
  const names = shots.map(({ name }) => name)
  const files = names.flatMap((name) => sheetLooks.map((look) => fileOf(name, look)))
  expect(new Set(files).size).toBe(names.length * 4)
  const sheet = sheetOf(names)
  for (const file of files) expect(sheet).toContain(`src="${file}"`)
})
