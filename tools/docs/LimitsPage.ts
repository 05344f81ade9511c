/** `docs/reference/limits.md`: every bound of each package, with the words that stand beside it in its file of limits. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { CloudflareLimits } from "@pawl/adapters-cloudflare/CloudflareLimits"
import { Limits } from "@pawl/core/primitives/Limits"
import { ModelsLimits } from "@pawl/adapters-models/ModelsLimits"
import { NatsLimits } from "@pawl/adapters-nats/NatsLimits"
import { PgLimits } from "@pawl/adapters-pg/PgLimits"
import { S3Limits } from "@pawl/adapters-s3/S3Limits"
import { RouterLimits } from "@pawl/router/RouterLimits"
import { ServerLimits } from "@pawl/server/ServerLimits"
import { code, page, type Page, table } from "./Markdown.ts"

const sources = [
  "core/src/primitives/Limits.ts",
  "core/src/primitives/AgentLimits.ts",
  "core/src/primitives/ProvenanceLimits.ts",
  "core/src/primitives/FleetLimits.ts",
  "core/src/primitives/PolicyLimits.ts",
  "core/src/primitives/SignInLimits.ts",
  "router/src/RouterLimits.ts",
  "adapters-local/src/LocalLimits.ts",
  "adapters-local/src/PackLimits.ts",
  "adapters-local/src/PriorityLimits.ts",
  "adapters-pg/src/PgLimits.ts",
  "adapters-s3/src/S3Limits.ts",
  "adapters-nats/src/NatsLimits.ts",
  "adapters-cloudflare/src/CloudflareLimits.ts",
  "adapters-models/src/ModelsLimits.ts",
  "server/src/ServerLimits.ts"
].map((path) => fileURLToPath(new URL(`../../packages/${path}`, import.meta.url)))

const all = {
  ...Limits,
  ...RouterLimits,
  ...LocalLimits,
  ...PgLimits,
  ...S3Limits,
  ...NatsLimits,
  ...CloudflareLimits,
  ...ModelsLimits,
  ...ServerLimits
}

interface Bound {
  readonly name: keyof typeof all
  readonly note: string
}

interface Section {
  readonly title: string
  readonly bounds: Array<Bound>
}

const isBound = (name: string): name is keyof typeof all => Object.hasOwn(all, name)

const counted = (value: number): string => value.toLocaleString("en-US")

const units: ReadonlyArray<readonly [size: number, name: string]> = [
  [1024 * 1024, "MiB"],
  [1024, "KiB"],
  [1, "bytes"]
]
const times: ReadonlyArray<readonly [size: number, name: string]> = [
  [60_000, "min"],
  [1000, "s"],
  [1, "ms"]
]

/** In the largest unit in which it is a whole number. */
const whole = (value: number, scale: ReadonlyArray<readonly [number, string]>): string => {
  const [size, name] = scale.find(([each]) => value % each === 0 && value >= each) ?? scale[scale.length - 1]!
  return `${counted(value / size)} ${name}`
}

export const valueOf = (name: keyof typeof all): string => {
  const value = all[name]
  if (name.endsWith("Ms")) return whole(value, times)
  if (name.endsWith("Bytes")) return whole(value, units)
  if (name.endsWith("Days")) return `${counted(value)} days`
  if (name.endsWith("Seconds")) return `${counted(value)} s`
  if (name.endsWith("Usd")) return `${counted(value)} USD`
  return counted(value)
}

/** The names of one file of limits under its headings, each with the comment above it. */
const sectionsOf = (source: string): ReadonlyArray<Section> => {
  const found: Array<Section> = []
  let note: Array<string> = []
  let inside = false
  for (const line of readFileSync(source, "utf8")
    .split("\n")
    .map((each) => each.trim())) {
    if (/^export const [A-Za-z0-9]*Limits /.test(line)) inside = true
    else if (!inside) continue
    else if (line.startsWith("//")) {
      found.push({ title: line.slice(2).trim(), bounds: [] })
      note = []
    } else if (line.startsWith("/**") || line.startsWith("*")) {
      note.push(
        line
          .replace(/^\/?\*+\/?/, "")
          .replace(/\*\/$/, "")
          .trim()
      )
    } else {
      const name = /^([A-Za-z]+):/.exec(line)?.[1]
      if (name !== undefined && isBound(name)) {
        found.at(-1)?.bounds.push({ name, note: note.join(" ").trim() })
        note = []
      }
    }
  }
  return found
}

/** Sections of one title stand together, whichever package they are of. */
const sections = (): ReadonlyArray<Section> => {
  const merged = new Map<string, Section>()
  for (const { title, bounds } of sources.flatMap(sectionsOf)) {
    const there = merged.get(title)
    if (there === undefined) merged.set(title, { title, bounds: [...bounds] })
    else there.bounds.push(...bounds)
  }
  return [...merged.values()]
}

export const limitsPage = (): Page => {
  const told = sections()
  const names = new Set(told.flatMap((section) => section.bounds.map(({ name }) => name)))
  const missing = Object.keys(all).filter((name) => isBound(name) && !names.has(name))
  if (missing.length > 0) throw new Error(`There are bounds that this page does not find: ${missing.join(", ")}`)
  return page("docs/reference/limits.md", "Limits", [
    "Every bound of Pawl, by its name in the code. *Specification* and *decision* say where a figure comes from. 1 MiB is 2^20 bytes. Three of them can be set: see [options](../operating/options.md).",
    ...told
      .filter(({ bounds }) => bounds.length > 0)
      .map(({ title, bounds }) =>
        [
          `## ${title}`,
          table(
            ["name", "value", "note"],
            bounds.map(({ name, note }) => [code(name), valueOf(name), note])
          )
        ].join("\n\n")
      )
  ])
}
