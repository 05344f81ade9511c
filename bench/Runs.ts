/** Whole runs of the benchmarks, each in a process of its own, and what they say together. */
import { fork } from "node:child_process"
import { mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { delimiter, join } from "node:path"
import type { Entry } from "./Catalogue.ts"
import type { Figure, Measured } from "./Figure.ts"
import { withFolder } from "./parts/Folder.ts"
import { median } from "./Rounds.ts"

/** A figure of several runs: it is as good as its worst run. */
export interface Summary {
  /** Its numbers are the medians of the runs. */
  readonly middle: Figure
  readonly values: Range
  readonly ratios: Range
  /** How many runs met the target; null where there is none. */
  readonly met: number | null
  readonly runs: number
}

export interface Range {
  readonly least: number
  readonly greatest: number
}

/** What a run sends for each benchmark that it was asked for. */
export interface Message {
  readonly name: string
  readonly measured: Measured
}

const range = (values: ReadonlyArray<number>): Range => ({ least: Math.min(...values), greatest: Math.max(...values) })

/** Of the same figure in each run; at least one. */
export const summary = (figures: readonly [Figure, ...ReadonlyArray<Figure>]): Summary => {
  const each = (of: (one: Figure) => number) => figures.map(of)
  const [first] = figures
  return {
    middle: {
      ...first,
      value: median(each(({ value }) => value)),
      floorValue: median(each(({ floorValue }) => floorValue)),
      ratio: median(each(({ ratio }) => ratio))
    },
    values: range(each(({ value }) => value)),
    ratios: range(each(({ ratio }) => ratio)),
    met: first.ok === null ? null : figures.filter(({ ok }) => ok === true).length,
    runs: figures.length
  }
}

const run = (entry: Entry, rounds: number, env: NodeJS.ProcessEnv): Promise<Measured> =>
  new Promise((answer, fail) => {
    const child = fork(join(import.meta.dirname, "run.ts"), ["--only", entry.name, "--rounds", String(rounds)], {
      env,
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    let told: Measured | null = null
    child.on("message", ({ measured }: Message) => (told = measured))
    child.once("error", fail)
    child.once("close", (code) =>
      told === null ? fail(new Error(`A run of ${entry.name} ended with ${code} and no figures.`)) : answer(told)
    )
  })

/** An environment like this one, in which no program of that name is found. */
const without = (program: string, folder: string): NodeJS.ProcessEnv => {
  const paths = (process.env["PATH"] ?? "").split(delimiter).map((from, at) => {
    const to = join(folder, String(at))
    mkdirSync(to)
    const names = (() => {
      try {
        return readdirSync(from)
      } catch {
        return []
      }
    })()
    for (const name of names) if (name !== program) symlinkSync(join(from, name), join(to, name))
    return to
  })
  return { ...process.env, PATH: paths.join(delimiter) }
}

/** Every figure of some benchmarks in as many runs: run after run, so that a slow hour is shared by all. */
const inEnvironment = async (
  entries: ReadonlyArray<Entry>,
  runs: number,
  rounds: number,
  env: NodeJS.ProcessEnv
): Promise<ReadonlyArray<Summarized>> => {
  const measured = new Map<Entry, Array<Measured>>(entries.map((entry) => [entry, []]))
  for (let at = 1; at <= runs; at++) {
    process.stderr.write(`run ${at} of ${runs}\n`)
    for (const entry of entries) measured.get(entry)!.push(await run(entry, rounds, env))
  }
  return [...measured].map(([entry, all]) => ({
    entry,
    notes: all.at(-1)!.notes,
    summaries: all[0]!.figures.map((first, at) => summary([first, ...all.slice(1).map(({ figures }) => figures[at]!)]))
  }))
}

export interface Summarized {
  readonly entry: Entry
  readonly summaries: ReadonlyArray<Summary>
  readonly notes: ReadonlyArray<string>
}

export interface AllRuns {
  readonly usual: ReadonlyArray<Summarized>
  /** Where apps or checks run, as on a machine without bubblewrap. */
  readonly withoutBubblewrap: ReadonlyArray<Summarized>
}

export const allRuns = async (entries: ReadonlyArray<Entry>, runs: number, rounds: number): Promise<AllRuns> => ({
  usual: await inEnvironment(entries, runs, rounds, process.env),
  withoutBubblewrap: await withFolder((folder) =>
    inEnvironment(
      entries.filter(({ isolates }) => isolates),
      runs,
      rounds,
      without("bwrap", folder)
    )
  )
})
