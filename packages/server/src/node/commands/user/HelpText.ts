/** What `--help` says. Plain text: nothing here knows a terminal. */
import { everyVerbs, usageOf } from "./CommandLine.ts"
import type { Verb, VerbOption } from "./Verb.ts"

/** A name and what it is. */
export interface Named {
  readonly name: string
  readonly what: string
}

const columns = (rows: ReadonlyArray<readonly [string, string]>): string => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n")
}

/** An option as it is written. */
export const optionUsage = ({ name, short, takes }: VerbOption): string =>
  `${short === undefined ? "" : `-${short}, `}--${name}${takes === undefined ? "" : ` <${takes}>`}`

const optionRows = (options: ReadonlyArray<VerbOption>) =>
  columns(options.map((option) => [optionUsage(option), option.what] as const))

/** The exit codes, in words. */
export const exitCodeWords: ReadonlyArray<readonly [string, string]> = [
  ["0", "yes, or done"],
  ["1", "the answer is no"],
  ["2", "the command line cannot be used, or nobody could be asked"],
  ["4", "not signed in, or not allowed"],
  ["5", "stale: something else came first"],
  ["8", "still running"],
  ["130", "interrupted"]
]

/** Help on one verb. */
export const verbHelp = (verb: Verb): string =>
  [
    `${verb.what}.`,
    `Usage\n  ${usageOf(verb)}`,
    ...(verb.options.length === 0 ? [] : [`Options\n${optionRows(verb.options)}`]),
    `Options of every verb\n${optionRows(everyVerbs)}`
  ].join("\n\n")

/** Help on all. */
export const wholeHelp = (verbs: ReadonlyArray<Verb>, operators: ReadonlyArray<Named>): string =>
  [
    "Pawl lets people and agents change apps while they are live, safely.",
    "Usage\n  pawl <verb> [options]",
    `For everybody\n${columns(verbs.map((verb) => [verb.name, verb.what] as const))}`,
    `For operators and auditors\n${columns(operators.map(({ name, what }) => [name, what] as const))}`,
    `Options\n${columns([
      ["-h, --help", "this, or behind a verb how it is used"],
      ["-v, --version", "the version"]
    ])}`,
    `Exit codes of what is for everybody\n${columns(exitCodeWords)}`
  ].join("\n\n")
