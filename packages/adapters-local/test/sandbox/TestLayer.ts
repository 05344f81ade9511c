/** A layer of packages as the store lays one out, for tests of the sandbox. */
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cacheFolders } from "../../src/packages/CacheFolders.ts"

export const layerId = "a".repeat(64)

const program = (path: string, text: string) => {
  writeFileSync(path, text)
  chmodSync(path, 0o755)
}

/** The folder of layers, with one in it: the package `one`, its program of that name, and programs that others have. */
export const makeLayers = (): string => {
  const layers = mkdtempSync(join(tmpdir(), "pawl-layers-"))
  // As the data folder: nobody but its owner may enter.
  chmodSync(layers, 0o700)
  const folder = join(layers, layerId, "node_modules")
  mkdirSync(join(folder, ".bin"), { recursive: true })
  for (const name of cacheFolders) mkdirSync(join(folder, name))
  mkdirSync(join(folder, "one"))
  writeFileSync(
    join(folder, "one/package.json"),
    `{ "name": "one", "version": "1.0.0", "main": "index.js", "bin": "bin.js" }`
  )
  writeFileSync(join(folder, "one/index.js"), `module.exports = "of the layer"\n`)
  program(
    join(folder, "one/bin.js"),
    `#!/usr/bin/env node\nconsole.log("one", process.argv.slice(2).join(" "), require("."))\n`
  )
  symlinkSync("../one/bin.js", join(folder, ".bin/one"))
  for (const name of ["sh", "node", "tar", "tsc"]) program(join(folder, ".bin", name), `#!/bin/sh\necho own ${name}\n`)
  return layers
}
