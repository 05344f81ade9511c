/** Figures as JSON lines, as a table for a terminal, and as the page in docs/internals. */
import type { Entry } from "./Catalogue.ts"
import type { Figure, Measured } from "./Figure.ts"
import type { Machine } from "./Machine.ts"

export interface Done {
  readonly entry: Entry
  readonly measured: Measured
}

const rounded = (value: number): number => Number(value.toPrecision(4))

export const jsonLine = (one: Figure): string =>
  JSON.stringify({ ...one, value: rounded(one.value), floorValue: rounded(one.floorValue), ratio: rounded(one.ratio) })

const quantity = (value: number, unit: string): string =>
  `${value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1)} ${unit}`

const verdict = ({ ok }: Figure): string => (ok === null ? "" : ok ? "met" : "MISSED")

const columns = ["figure", "value", "floor", "", "ratio", "target", ""]
const cells = (one: Figure): ReadonlyArray<string> => [
  one.name,
  quantity(one.value, one.unit),
  quantity(one.floorValue, one.unit.replace(" over the floor", "")),
  one.floor,
  one.ratio.toFixed(2),
  one.target ?? "told only",
  verdict(one)
]

export const table = (figures: ReadonlyArray<Figure>): string => {
  const rows = [columns, ...figures.map(cells)]
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

const machineLines = (machine: Machine): ReadonlyArray<string> => [
  `- ${machine.cores} cores, ${machine.cpu}, ${machine.memory} of memory`,
  `- ${machine.os}, Node ${machine.node}, git ${machine.git}`,
  `- ${machine.date}; load average before the first round: ${machine.loadBefore}`
]

const section = ({ entry, measured }: Done): ReadonlyArray<string> => [
  `## ${entry.name}`,
  "",
  ...entry.about.flatMap((paragraph) => [paragraph, ""]),
  ...measured.notes.map((note) => `- ${note}`),
  ...(measured.notes.length > 0 ? [""] : [])
]

/** The whole page. `npm run bench -- --write` makes it; nobody edits it. */
export const page = (done: ReadonlyArray<Done>, machine: Machine, rounds: number): string => {
  const figures = done.flatMap(({ measured }) => measured.figures)
  const lines = [
    "# Benchmarks",
    "",
    "Made by `npm run bench -- --write`; do not edit. Every figure stands beside a raw floor that was measured in the",
    "same run, in turn with it, because times alone say more about the machine than about Pawl.",
    "",
    ...machineLines(machine),
    `- one round to warm up, then ${rounds} rounds of each side in turn; medians. The ratio is the median of the rounds' own ratios.`,
    "",
    "| figure | value | floor | | ratio | target | |",
    "| --- | ---: | ---: | --- | ---: | --- | --- |",
    ...figures.map((one) => `| ${cells(one).join(" | ")} |`),
    "",
    "`npm run bench --silent -- --json` prints one JSON line for each figure, `--only <name>` measures one of them,",
    "`--list` names them all, and `--rounds <n>` takes another number of rounds.",
    "",
    ...done.flatMap(section)
  ]
  return `${lines.join("\n").trimEnd()}\n`
}
