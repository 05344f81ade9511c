/** The files of the environment in `deploy/`, as the server reads them. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Redacted } from "effect"
import { expect } from "vitest"
import * as Options from "@pawl/server/node/Options"

export const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** A file of the environment as systemd and compose read it: no quotes, no references. */
export const environmentOf = (path: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        expect(line).toMatch(/^[A-Z0-9_]+=[^\s'"$]+$/)
        return [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const
      })
  )

/** The options that a process has of an environment. */
export const optionsFrom = async (given: Readonly<Record<string, string>>) => {
  const before = { ...process.env }
  Object.assign(process.env, given)
  try {
    return { given, options: await Effect.runPromise(Options.read({}, undefined)) }
  } finally {
    for (const name of Object.keys(given)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

/** The options that a process has of these files. */
export const optionsOf = (files: ReadonlyArray<string>) =>
  optionsFrom(Object.assign({}, ...files.map(environmentOf)) as Readonly<Record<string, string>>)

/** As whom a process connects to the database. */
export const userOf = ({ databaseUrl }: Options.Options): string =>
  databaseUrl === null ? "" : new URL(Redacted.value(databaseUrl)).username

export const known = new Set(readFileSync(join(root, "docs/operating/options.md"), "utf8").match(/PAWL_[A-Z0-9_]+/g))

/** The secrets of a role: routers have their own, which reach less. */
export const secretsOf = (role: string): string =>
  role === "router" ? "router-secrets.env.example" : "secrets.env.example"
