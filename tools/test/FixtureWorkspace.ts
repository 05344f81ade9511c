/** A throwaway workspace with this one's configuration and dependencies, to prove that a check bites. */
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

export const root = join(import.meta.dirname, "../..")

export interface Ran {
  readonly status: number | null
  readonly output: string
}

export interface FixtureWorkspace {
  readonly folder: string
  readonly write: (path: string, text: string) => void
  /** Runs a command of `node_modules/.bin` in this workspace. */
  readonly run: (command: string, ...args: ReadonlyArray<string>) => Ran
}

const configuration = ["tsconfig.json", "tsconfig.base.json", ".oxlintrc.json", ".oxfmtrc.json", "package.json"]

/** Makes the workspace, hands it to `use`, and removes it. */
export const withFixture = <A>(sources: Readonly<Record<string, string>>, use: (fixture: FixtureWorkspace) => A): A => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-fixture-"))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  try {
    for (const name of configuration) copyFileSync(join(root, name), join(folder, name))
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    for (const [path, text] of Object.entries(sources)) write(path, text)
    return use({
      folder,
      write,
      run: (command, ...args) => {
        const ran = spawnSync(join(root, "node_modules/.bin", command), args, { cwd: folder, encoding: "utf8" })
        return { status: ran.status, output: `${ran.stdout}${ran.stderr}` }
      }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The package.json of a fixture's package. */
export const manifest = (name: string, ...dependencies: ReadonlyArray<string>): string =>
  JSON.stringify({ name: `@pawl/${name}`, dependencies: Object.fromEntries(dependencies.map((each) => [each, "*"])) })
