/**
 * `npm run bench`: measures each figure beside its raw floor. `--json` prints one line per figure, `--only <name>`
 * measures one benchmark, `--list` names all figures, `--rounds <n>` (5) measures longer. `--write` makes `--runs <n>`
 * (5) whole runs, with and without bubblewrap, and keeps them in docs/internals/benchmarks.md. Ends with 1 when a
 * target is missed, in any of the runs.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { asked, catalogue, type Entry } from "./Catalogue.ts"
import { describeMachine } from "./Machine.ts"
import { jsonLine, page, table } from "./Report.ts"
import { allRuns, type Message } from "./Runs.ts"
import type { Measured } from "./Figure.ts"

const fail = (problem: string): never => {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}

const options = {
  json: { type: "boolean", default: false },
  list: { type: "boolean", default: false },
  write: { type: "boolean", default: false },
  only: { type: "string" },
  rounds: { type: "string", default: "5" },
  runs: { type: "string", default: "5" }
} as const

const usage = "usage: npm run bench -- [--list] [--only <name>] [--rounds <n>] [--json] [--write [--runs <n>]]"

const read = () => {
  try {
    return parseArgs({ options }).values
  } catch (thrown) {
    return fail(`${thrown instanceof Error ? thrown.message : String(thrown)}\n${usage}`)
  }
}

const values = read()
const only = values.only ?? null
const rounds = Number(values.rounds)
const runs = Number(values.runs)
const chosen = asked(only)

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const measure = async (entry: Entry): Promise<Measured> => {
  const say = (progress: string) => process.stderr.write(`${entry.name}: ${progress}\n`)
  const bench = await entry.load()
  const wants = (...names: ReadonlyArray<string>) =>
    only === null || only === entry.name || names.some((name) => name === only)
  const { figures, notes } = await bench({ rounds, say, wants })
  const wanted = figures.filter(({ name }) => wants(name))
  if (values.json) for (const figure of wanted) print(jsonLine(figure))
  return { figures: wanted, notes }
}

if (values.list) {
  print(catalogue.flatMap(({ figures }) => figures).join("\n"))
  process.exit(0)
}
if (chosen.length === 0) fail(`There is no benchmark ${only}; --list names them all.`)
if (!Number.isInteger(rounds) || rounds < 1) fail("--rounds takes a whole number above 0.")
if (!Number.isInteger(runs) || runs < 1) fail("--runs takes a whole number above 0.")
if (values.write && (only !== null || runs < 5 || runs * rounds < 15))
  fail("--write needs all benchmarks, at least 5 runs and 15 rounds in all.")

// Whatever a library has to say, standard output belongs to the figures.
console.log = console.error

if (values.write) {
  const machine = describeMachine()
  const all = await allRuns(chosen, runs, rounds)
  writeFileSync(join(import.meta.dirname, "../docs/internals/benchmarks.md"), page(all, machine, { runs, rounds }))
  const missed = all.usual.some(({ summaries }) => summaries.some(({ met }) => met !== null && met < runs))
  process.exit(missed ? 1 : 0)
}

const told: Array<Message> = []
for (const entry of chosen) told.push({ name: entry.name, measured: await measure(entry) })
const figures = told.flatMap(({ measured }) => measured.figures)
if (!values.json) {
  print(table(figures))
  for (const { measured, name } of told) for (const note of measured.notes) print(`${name}: ${note}`)
}
if (process.send !== undefined)
  for (const each of told) await new Promise<void>((sent) => void process.send!(each, () => sent()))
// The Postgres of the tests ends the process with 0 when nothing is left to do, whatever code was set.
process.exit(figures.some(({ ok }) => ok === false) ? 1 : 0)
