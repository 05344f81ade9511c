/** Figures as JSON lines, as a table for a terminal, and as the page in docs/internals. */
import type { Figure } from "./Figure.ts"
import type { Machine } from "./Machine.ts"
import type { AllRuns, Range, Summarized, Summary } from "./Runs.ts"

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

const spread = ({ greatest, least }: Range, middle: number, digits: (value: number) => string): string =>
  `${digits(middle)} (${digits(least)}–${digits(greatest)})`

const count = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1))

const summaryVerdict = ({ met, runs }: Summary): string =>
  met === null ? "" : met === runs ? "met" : met === 0 ? "MISSED" : `MISSED in ${runs - met} of ${runs}`

const summaryCells = (one: Summary): ReadonlyArray<string> => [
  one.middle.name,
  `${spread(one.values, one.middle.value, count)} ${one.middle.unit}`,
  quantity(one.middle.floorValue, one.middle.unit.replace(" over the floor", "")),
  one.middle.floor,
  spread(one.ratios, one.middle.ratio, (ratio) => ratio.toFixed(2)),
  one.middle.target ?? "told only",
  summaryVerdict(one)
]

const summaryTable = (all: ReadonlyArray<Summarized>): ReadonlyArray<string> => [
  "| figure | value | floor | | ratio | target | |",
  "| --- | ---: | ---: | --- | ---: | --- | --- |",
  ...all.flatMap(({ summaries }) => summaries).map((one) => `| ${summaryCells(one).join(" | ")} |`)
]

const section = ({ entry, notes }: Summarized): ReadonlyArray<string> => [
  `## ${entry.name}`,
  "",
  ...entry.about.flatMap((paragraph) => [paragraph, ""]),
  ...notes.map((note) => `- ${note}`),
  ...(notes.length > 0 ? [""] : [])
]

export interface Lengths {
  readonly runs: number
  readonly rounds: number
}

/** The whole page. `npm run bench -- --write` makes it; nobody edits it. Notes are those of the last run. */
export const page = ({ usual, withoutBubblewrap }: AllRuns, machine: Machine, { rounds, runs }: Lengths): string => {
  const lines = [
    "# Benchmarks",
    "",
    "Made by `npm run bench -- --write`; do not edit. Every figure stands beside a raw floor that was measured in the",
    "same run, in turn with it, because times alone say more about the machine than about Pawl.",
    "",
    ...machineLines(machine),
    `- ${runs} runs, each in processes of its own; in each, one round to warm up, then ${rounds} rounds of each side in turn. The ratio of a run is the median of its rounds' own ratios.`,
    "- Told is the median of the runs, and in brackets the least and the greatest. A target is met when every run met it.",
    "",
    ...summaryTable(usual),
    "",
    "Where apps or checks run, the same on this machine without bubblewrap:",
    "",
    ...summaryTable(withoutBubblewrap),
    "",
    "`npm run bench --silent -- --json` prints one JSON line for each figure, `--only <name>` measures one of them,",
    "`--list` names them all, and `--rounds <n>` takes another number of rounds.",
    "",
    ...usual.flatMap(section)
  ]
  return `${lines.join("\n").trimEnd()}\n`
}
