import { expect, it } from "vitest"
import { assetsFolder } from "../../src/builder/settings/AppSettings.ts"

const folder = (files: Readonly<Record<string, string>>, folders: ReadonlyArray<string> = ["public"]) =>
  assetsFolder(
    new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)])),
    new Set(folders)
  )

it("the folder of assets is the one that the settings name, in each form that they may have", () => {
  expect(folder({})).toBe("public")
  expect(folder({}, ["src"])).toBe(null)
  expect(folder({ "wrangler.json": JSON.stringify({ assets: { directory: "./static/" } }) })).toBe("static")
  expect(folder({ "wrangler.jsonc": '// a word\n{ "assets": { "directory": "web/out" }, }' })).toBe("web/out")
  expect(folder({ "wrangler.toml": '[assets]\ndirectory = "dist"\n' })).toBe("dist")
})

it("there is none where the settings name none, or one that cannot be built", () => {
  expect(folder({ "wrangler.json": JSON.stringify({ main: "src/index.js" }) })).toBe(null)
  for (const directory of [".", "/", "../out", "/etc", 1, null])
    expect(folder({ "wrangler.json": JSON.stringify({ assets: { directory } }) })).toBe(null)
  expect(folder({ "wrangler.json": "{" })).toBe(null)
  expect(folder({ "wrangler.json": "{}", "wrangler.toml": "" })).toBe(null)
})
