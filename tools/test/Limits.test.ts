import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { CloudflareLimits } from "@pawl/adapters-cloudflare/CloudflareLimits"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { ModelsLimits } from "@pawl/adapters-models/ModelsLimits"
import { NatsLimits } from "@pawl/adapters-nats/NatsLimits"
import { PgLimits } from "@pawl/adapters-pg/PgLimits"
import { S3Limits } from "@pawl/adapters-s3/S3Limits"
import { Limits } from "@pawl/core/primitives/Limits"
import { RouterLimits } from "@pawl/router/RouterLimits"
import { ServerLimits } from "@pawl/server/ServerLimits"
import { describe, expect, it } from "vitest"
import { root } from "./FixtureWorkspace.ts"

const packages = readdirSync(join(root, "packages"))
const textOf = (name: string): string =>
  readdirSync(join(root, "packages", name, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(join(root, "packages", name, "src", path), "utf8"))
    .join("\n")
/** What each package names as `<file of limits>.<bound>`. */
const named = new Map(
  packages.map((name) => [name, new Set(textOf(name).match(/(?<![A-Za-z0-9])[A-Za-z0-9]*Limits\.\w+/g) ?? [])])
)

/** The packages whose sources name a bound. */
const usersOf = (file: string, bound: string): ReadonlyArray<string> =>
  packages.filter((name) => named.get(name)?.has(`${file}.${bound}`) === true)

const owned = [
  ["core", "Limits", Object.keys(Limits)],
  ["router", "RouterLimits", Object.keys(RouterLimits)],
  ["adapters-local", "LocalLimits", Object.keys(LocalLimits)],
  ["adapters-cloudflare", "CloudflareLimits", Object.keys(CloudflareLimits)],
  ["adapters-models", "ModelsLimits", Object.keys(ModelsLimits)],
  ["adapters-pg", "PgLimits", Object.keys(PgLimits)],
  ["adapters-s3", "S3Limits", Object.keys(S3Limits)],
  ["adapters-nats", "NatsLimits", Object.keys(NatsLimits)],
  ["server", "ServerLimits", Object.keys(ServerLimits)]
] as const

describe("Bounds", () => {
  it.each(owned)("of %s are all in force: each is named by a source", (_, file, bounds) => {
    expect(bounds.filter((bound) => usersOf(file, bound).length === 0)).toEqual([])
  })

  it.each(owned)("of %s are its own, or those of several packages", (owner, file, bounds) => {
    const elsewhere = bounds.filter((bound) => {
      const users = usersOf(file, bound)
      return users.length === 1 && users[0] !== owner && !(owner === "core" && users[0] === "sql")
    })
    expect(elsewhere).toEqual([])
  })
})
