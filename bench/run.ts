/**
 * `npm run bench`: measures each figure beside its raw floor. `--json` prints one line per figure, `--only <name>`
 * measures one benchmark, `--list` names all figures, `--rounds <n>` (5) measures longer, `--write` keeps the results
 * in docs/internals/benchmarks.md. Ends with 1 when a target is missed.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { asked, catalogue, type Entry } from "./Catalogue.ts"
import { describeMachine } from "./Machine.ts"
import { type Done, jsonLine, page, table } from "./Report.ts"

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    only: { type: "string" },
    rounds: { type: "string", default: "5" }
  }
})
const only = values.only ?? null
const rounds = Number(values.rounds)
const chosen = asked(only)

const fail = (problem: string): never => {
  process.stderr.write(`${problem}\n`)
  process.exit(2)
}

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const measure = async (entry: Entry): Promise<Done> => {
  const say = (progress: string) => process.stderr.write(`${entry.name}: ${progress}\n`)
  const bench = await entry.load()
  const { figures, notes } = await bench({ rounds, say })
  const wanted = figures.filter(({ name }) => only === null || only === entry.name || only === name)
  if (values.json) for (const figure of wanted) print(jsonLine(figure))
  return { entry, measured: { figures: wanted, notes } }
}

if (values.list) {
  print(catalogue.flatMap(({ figures }) => figures).join("\n"))
  process.exit(0)
}
if (chosen.length === 0) fail(`There is no benchmark ${only}; --list names them all.`)
if (!Number.isInteger(rounds) || rounds < 1) fail("--rounds takes a whole number above 0.")
if (values.write && (only !== null || rounds < 5)) fail("--write needs all benchmarks and at least 5 rounds.")

// Whatever a library has to say, standard output belongs to the figures.
console.log = console.error
const machine = describeMachine()
const done: Array<Done> = []
for (const entry of chosen) done.push(await measure(entry))
const figures = done.flatMap(({ measured }) => measured.figures)
if (!values.json) {
  print(table(figures))
  for (const { entry, measured } of done) for (const note of measured.notes) print(`${entry.name}: ${note}`)
}
if (values.write)
  writeFileSync(join(import.meta.dirname, "../docs/internals/benchmarks.md"), page(done, machine, rounds))
// The Postgres of the tests ends the process with 0 when nothing is left to do, whatever code was set.
process.exit(figures.some(({ ok }) => ok === false) ? 1 : 0)
