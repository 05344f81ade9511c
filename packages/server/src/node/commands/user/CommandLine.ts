/** Reads a command line by the table of verbs. */
import { parseArgs } from "node:util"
import { misused, type Next } from "./Refused.ts"
import type { Verb, VerbOption } from "./Verb.ts"

/** Options of every verb. */
export const everyVerbs: ReadonlyArray<VerbOption> = [
  { name: "json", what: "one JSON document on standard output, of a failure too" },
  { name: "url", takes: "address", what: "the server (PAWL_URL, the clone's, else where you are signed in)" },
  { name: "project", takes: "project", what: "id, label or slug (PAWL_PROJECT, else git config pawl.project)" },
  { name: "yes", what: "do not ask" },
  { name: "no-progress", what: "say nothing of work that goes on" },
  { name: "help", short: "h", what: "how the verb is used" }
]

/** A command line that was read. */
export interface CommandLine {
  readonly given: ReadonlyArray<string>
  readonly values: ReadonlyMap<string, ReadonlyArray<string>>
}

/** How many letters must be put in, left out or changed to make one word of the other. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1))
      )
    row = next
  }
  return row[other.length] ?? 0
}

/** The word that was meant, when one is near. */
const nearest = (word: string, words: ReadonlyArray<string>): string | undefined => {
  const near = words.map((each) => ({ each, far: each.startsWith(word) && word.length > 1 ? 1 : distance(word, each) }))
  const best = near.toSorted((one, other) => one.far - other.far)[0]
  return best !== undefined && best.far <= Math.max(1, Math.floor(word.length / 3)) ? best.each : undefined
}

const meant = (near: string | undefined): string => (near === undefined ? "" : ` Did you mean "${near}"?`)

/** Words as a shell takes them. */
export const shellLine = (words: ReadonlyArray<string>): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ")

const asMeant = (words: ReadonlyArray<string>): Next => ({ command: shellLine(words), when: "that was meant" })
const allHelp: Next = { command: "pawl --help", when: "to see which there are" }

/** Which verb the arguments begin with; undefined when none. */
export const verbOf = (args: ReadonlyArray<string>, verbs: ReadonlyArray<Verb>): Verb | undefined => {
  const two = args.slice(0, 2).join(" ")
  return verbs.find(({ name }) => name === two) ?? verbs.find(({ name }) => name === args[0])
}

/** Says that there is no such verb. */
export const unknownVerb = (args: ReadonlyArray<string>, names: ReadonlyArray<string>) => {
  const [first = "", second] = args
  const under = names.filter((name) => name.startsWith(`${first} `)).map((name) => name.slice(first.length + 1))
  if (under.length === 0) {
    const near = nearest(
      first,
      names.map((name) => name.split(" ", 1)[0] ?? "")
    )
    const next = near === undefined ? allHelp : asMeant(["pawl", near, ...args.slice(1)])
    return misused(`unknown subcommand "${first}".${meant(near)} See pawl --help.`, [next])
  }
  if (second === undefined || second.startsWith("-"))
    return misused(`pawl ${first} needs one of ${under.join(", ")}`, [allHelp])
  const near = nearest(second, under)
  return misused(`unknown subcommand "${second}" of pawl ${first}.${meant(near)} There is ${under.join(", ")}.`, [
    near === undefined ? allHelp : asMeant(["pawl", first, near, ...args.slice(2)])
  ])
}

/** How a verb's arguments are written. */
export const usageOf = ({ name, takes }: Verb): string => ["pawl", name, ...takes, "[options]"].join(" ")

const demandCount = (verb: Verb, given: ReadonlyArray<string>): void => {
  const missing = verb.takes.filter((each) => each.startsWith("<"))[given.length]
  if (missing !== undefined) throw misused(`${missing.slice(1, -1)} is missing: ${usageOf(verb)}`)
  const endless = verb.takes.some((each) => each.includes("…"))
  const extra = given[verb.takes.length]
  if (!endless && extra !== undefined) throw misused(`"${extra}" is one argument too many: ${usageOf(verb)}`)
}

const unknownOption = (verb: Verb, args: ReadonlyArray<string>, given: string) => {
  const near = nearest(
    given,
    [...everyVerbs, ...verb.options].map(({ name }) => `--${name}`)
  )
  const isIt = (arg: string) => arg === given || arg.startsWith(`${given}=`)
  const next = (name: string) =>
    asMeant(["pawl", ...verb.name.split(" "), ...args.map((arg) => (isIt(arg) ? name + arg.slice(given.length) : arg))])
  return misused(`${given} is no option of pawl ${verb.name}.${meant(near)}`, near === undefined ? [] : [next(near)])
}

/** Reads the arguments behind a verb's name. Throws `Refused` that says which of them cannot be used. */
export const readCommandLine = (verb: Verb, args: ReadonlyArray<string>): CommandLine => {
  const options = [...everyVerbs, ...verb.options]
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      options.map(({ name, short, takes }) => [
        name,
        { type: takes === undefined ? "boolean" : "string", ...(short === undefined ? {} : { short }) }
      ])
    )
  })
  const values = new Map<string, ReadonlyArray<string>>()
  const given: Array<string> = []
  for (const token of tokens) {
    if (token.kind === "positional") given.push(token.value)
    if (token.kind !== "option") continue
    const option = options.find(({ name }) => name === token.name)
    if (option === undefined) throw unknownOption(verb, args, token.rawName)
    if (option.takes !== undefined && token.value === undefined)
      throw misused(`${token.rawName} needs a ${option.takes}`)
    if (option.takes === undefined && token.value !== undefined) throw misused(`${token.rawName} takes no value`)
    // `--goal --json` is a value that was forgotten; a value that begins so is given as --goal=--json.
    if (token.value?.startsWith("--") === true && !token.inlineValue)
      throw misused(`${token.rawName} needs a ${option.takes}`)
    const before = values.get(option.name) ?? []
    if (before.length > 0 && option.takes !== undefined && option.many !== true)
      throw misused(`${token.rawName} is given twice`)
    values.set(option.name, [...before, token.value ?? "true"])
  }
  if (!values.has("help")) demandCount(verb, given)
  return { given, values }
}
