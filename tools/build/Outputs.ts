/** What `tsc` leaves behind and does not tidy: files of deleted sources, and commands without their executable bit. */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"

/** Names of the folders below `packages/`. */
export const packageNames = (root: string): ReadonlyArray<string> =>
  readdirSync(join(root, "packages")).filter((name) => existsSync(join(root, "packages", name, "package.json")))

/** Whether Vite bundles the package: its `dist` has files that no source is named like. */
export const isBundled = (root: string, name: string): boolean =>
  existsSync(join(root, "packages", name, "vite.config.ts"))

/** Removes from every `dist` what no source explains, so that a deleted module cannot be imported or published. */
export const sweepOrphans = (root: string): ReadonlyArray<string> =>
  packageNames(root).flatMap((name) => {
    const folder = join(root, "packages", name)
    const dist = join(folder, "dist")
    if (!existsSync(dist) || isBundled(root, name)) return []
    const outputs = readdirSync(dist, { recursive: true, encoding: "utf8" })
    const orphans = outputs.filter((output) => {
      const source = /^(.*?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(output)?.[1]
      return source !== undefined && !existsSync(join(folder, "src", `${source}.ts`))
    })
    for (const orphan of orphans) rmSync(join(dist, orphan))
    return orphans.map((orphan) => `packages/${name}/dist/${orphan}`)
  })

/** npm sets this bit when it installs a package, but not on the workspace's own build. */
export const makeCommandsExecutable = (root: string): void => {
  for (const name of packageNames(root)) {
    const folder = join(root, "packages", name)
    const manifest: { readonly bin?: Readonly<Record<string, string>> } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8")
    )
    for (const file of Object.values(manifest.bin ?? {})) {
      if (existsSync(join(folder, file))) chmodSync(join(folder, file), 0o755)
    }
  }
}
