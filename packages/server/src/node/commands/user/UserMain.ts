/** Runs a verb: from the arguments to standard output and an exit code. */
import { writeSync } from "node:fs"
import { jsonDocument } from "../JsonDocument.ts"
import { type CommandLine, readCommandLine, shellLine } from "./CommandLine.ts"
import { verbHelp } from "./HelpText.ts"
import { ownPerson } from "./Person.ts"
import { projectChoice } from "./ProjectChoice.ts"
import { exitCodes, leadingTo, Refused } from "./Refused.ts"
import { harmless, ownScreen, type Screen, tableText } from "./Screen.ts"
import { addressOf, demandToken } from "./Signed.ts"
import { type UserClient, userClient } from "./UserClient.ts"
import type { Outcome, Session, Verb } from "./Verb.ts"

const say = (line: string): void => void process.stderr.write(`${harmless(line)}\n`)
const print = (text: string): void => void process.stdout.write(text)

const document = (json: object): string => `${jsonDocument(json)}\n`

const sessionOf = ({ given, values }: CommandLine, screen: Screen, again: Session["again"]): Session => {
  const environment = process.env
  const all = (name: string) => values.get(name) ?? []
  const value = (name: string) => all(name)[0]
  const has = (name: string) => values.has(name)
  const json = has("json")
  let made: UserClient | undefined
  const client = (): UserClient => {
    if (made !== undefined) return made
    const address = addressOf(value("url"), environment)
    return (made = userClient(address, demandToken(address, environment)))
  }
  const person = ownPerson()
  const isTelling = process.stderr.isTTY === true && !has("no-progress")
  return {
    given,
    value,
    values: all,
    has,
    json,
    again,
    environment,
    client,
    person,
    project: projectChoice(value("project"), environment, client, person),
    tell: (line) => (isTelling ? say(line) : undefined),
    warn: (line) => say(`pawl: ${line}`),
    line: (row, cells) =>
      print(json ? document(row) : `${tableText({ head: [], rows: [cells] }, { ...screen, terminal: false })}\n`),
    payload: print
  }
}

const show = ({ exitCode, json, next, table, text, written }: Outcome, isJson: boolean, screen: Screen): void => {
  process.exitCode = exitCode ?? exitCodes.yes
  if (isJson) return print(document({ ...json, next: next ?? [] }))
  if (written === true) return
  const shown = table === undefined ? harmless(text ?? "") : tableText(table, screen)
  if (shown !== "") print(`${shown}\n`)
  if (process.stderr.isTTY === true) for (const { command, when } of next ?? []) say(`Next: ${command}  (${when})`)
}

const failureOf = (error: unknown): Refused =>
  error instanceof Refused
    ? error
    : new Refused(
        "unexpected",
        `this should not have happened: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        exitCodes.cannotAsk
      )

const failureJson = ({ code, facts, message, next }: Refused): object => ({ ...facts, code, detail: message, next })

const blockLines = (blocks: unknown): ReadonlyArray<string> =>
  Array.isArray(blocks)
    ? blocks.map((block: unknown) => {
        const { code, detail }: Record<string, unknown> =
          typeof block === "object" && block !== null ? { ...block } : {}
        return `  ${String(code)}  ${String(detail)}`
      })
    : []

/** Says how it failed: words on standard error, with `--json` the document on standard output too. */
export const showFailure = (error: unknown, isJson: boolean): void => {
  const failure = failureOf(error)
  process.exitCode = failure.exitCode
  if (isJson) print(document(failureJson(failure)))
  say(`pawl: ${failure.code === "usage" ? "" : `${failure.code}: `}${failure.message}`)
  for (const line of blockLines(failure.facts["blocks"])) say(line)
  for (const { command, when } of failure.next) say(`Next: ${command}  (${when})`)
}

/** Whether a failure is to be a document: it may be that the command line cannot be read. */
export const wantsJson = (args: ReadonlyArray<string>): boolean => args.includes("--json")

/** Interrupted, what was begun on the server goes on there. */
const guard = (isJson: boolean, isEndless: boolean): void => {
  process.on("SIGINT", () => {
    const interrupted = new Refused(
      "interrupted",
      "interrupted: what the server began goes on",
      exitCodes.interrupted,
      [{ command: "pawl status", when: "to see where it stands" }]
    )
    // Synchronous: the process ends with it.
    if (isJson && !isEndless) writeSync(1, document(failureJson(interrupted)))
    process.exit(exitCodes.interrupted)
  })
}

/** Who cannot use a command line is led to the help on its verb. */
const helped = (error: unknown, { name }: Verb): unknown =>
  error instanceof Refused && error.code === "usage" && error.next.length === 0
    ? leadingTo(error, [{ command: `pawl ${name} --help`, when: "to see how it is used" }])
    : error

/** Does what the arguments behind a verb's name say. */
export const runVerb = async (verb: Verb, args: ReadonlyArray<string>): Promise<void> => {
  const isJson = wantsJson(args)
  const screen = ownScreen(process.env)
  try {
    const line = readCommandLine(verb, args)
    if (line.values.has("help"))
      return print(isJson ? document({ help: verbHelp(verb), next: [] }) : `${verbHelp(verb)}\n`)
    if (verb.interruption !== "own") guard(isJson, line.values.has("follow"))
    // Whoever reads the pipe has gone away: nothing is left to say.
    process.stdout.on("error", () => process.exit())
    const run = await verb.load()
    const session = sessionOf(line, screen, (...more) => shellLine(["pawl", ...verb.name.split(" "), ...args, ...more]))
    show(await run(session), session.json, screen)
  } catch (error) {
    showFailure(helped(error, verb), isJson)
  } finally {
    process.stdin.unref?.()
  }
}
