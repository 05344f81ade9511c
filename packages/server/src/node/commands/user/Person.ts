/** The person at the terminal. Nobody is asked where there is no terminal. */
import { createInterface } from "node:readline/promises"
import { Writable } from "node:stream"
import { misused, type Next } from "./Refused.ts"

/** Asks; each fails with words about what to give instead where nobody can answer. */
export interface Person {
  readonly present: boolean
  /** Whether the answer is y or yes. `instead` and `next` say what to give on the command line. */
  readonly agrees: (question: string, instead: string, next?: ReadonlyArray<Next>) => Promise<boolean>
  /** Which of some, by number or by name; null for none. */
  readonly chooses: (question: string, names: ReadonlyArray<string>) => Promise<number | null>
  /** A line that is not shown; without a terminal the first line of standard input. */
  readonly secret: (question: string) => Promise<string>
}

const readAnswer = async (question: string, shown: boolean): Promise<string> => {
  const output = shown ? process.stderr : new Writable({ write: (_piece, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 })
  // Said when the terminal echoes no more: what is typed at once is not shown either.
  process.stderr.write(question)
  // In raw mode the terminal sends no signal: the reader is told.
  lines.once("SIGINT", () => process.kill(process.pid, "SIGINT"))
  const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")))
  try {
    return await Promise.race([lines.question(""), ended])
  } finally {
    lines.close()
    process.stdin.pause()
    if (!shown) process.stderr.write("\n")
  }
}

/** All of standard input. */
export const standardInput = async (): Promise<string> => {
  const pieces: Array<Buffer> = []
  for await (const piece of process.stdin) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString("utf8")
}

/** Whoever sits at this process's terminal. */
export const ownPerson = (): Person => {
  const present = process.stdin.isTTY === true && process.stderr.isTTY === true
  return {
    present,
    agrees: async (question, instead, next) => {
      if (!present) throw misused(`nobody is here to ask: ${instead}`, next)
      return /^y(es)?$/i.test((await readAnswer(`${question} [y/N] `, true)).trim())
    },
    chooses: async (question, names) => {
      if (!present) return null
      process.stderr.write(names.map((name, at) => `  ${at + 1}  ${name}\n`).join(""))
      const said = (await readAnswer(`${question} `, true)).trim()
      const at = names.indexOf(said)
      if (at >= 0) return at
      const number = Number(said)
      return Number.isInteger(number) && number >= 1 && number <= names.length ? number - 1 : null
    },
    secret: async (question) => {
      const said = present ? await readAnswer(`${question} `, false) : (await standardInput()).split("\n", 1)[0]
      return (said ?? "").trim()
    }
  }
}
