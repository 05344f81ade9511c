/** `docs/reference/limits.md`: every bound, with the words that stand beside it in `Limits.ts`. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Limits } from "@pawl/core/primitives/Limits"
import { code, page, type Page, table } from "./Markdown.ts"

const source = fileURLToPath(new URL("../../packages/core/src/primitives/Limits.ts", import.meta.url))

interface Bound {
  readonly name: keyof typeof Limits
  readonly note: string
}

interface Section {
  readonly title: string
  readonly bounds: Array<Bound>
}

const isBound = (name: string): name is keyof typeof Limits => Object.hasOwn(Limits, name)

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

export const valueOf = (name: keyof typeof Limits): string => {
  const value = Limits[name]
  if (name.endsWith("Ms")) return whole(value, times)
  if (name.endsWith("Bytes")) return whole(value, units)
  if (name.endsWith("Days")) return `${counted(value)} days`
  if (name.endsWith("Seconds")) return `${counted(value)} s`
  if (name.endsWith("Usd")) return `${counted(value)} USD`
  return counted(value)
}

/** The names of `Limits.ts` under its headings, each with the comment above it. */
const sections = (): ReadonlyArray<Section> => {
  const found: Array<Section> = []
  let note: Array<string> = []
  let inside = false
  for (const line of readFileSync(source, "utf8")
    .split("\n")
    .map((each) => each.trim())) {
    if (line.startsWith("export const Limits")) inside = true
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

export const limitsPage = (): Page => {
  const all = sections()
  const told = all.flatMap((section) => section.bounds.map(({ name }) => name))
  const missing = Object.keys(Limits).filter((name) => isBound(name) && !told.includes(name))
  if (missing.length > 0) throw new Error(`Limits.ts has bounds that this page does not find: ${missing.join(", ")}`)
  return page("docs/reference/limits.md", "Limits", [
    "Every bound of Pawl, by its name in the code. *Specification* and *decision* say where a figure comes from. 1 MiB is 2^20 bytes. Three of them can be set: see [options](../operating/options.md).",
    ...all
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
