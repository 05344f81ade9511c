/** Asks the person at the terminal. */
import { createInterface } from "node:readline"
import { Effect } from "effect"

const firstLine = async (): Promise<string> => {
  const lines = createInterface({ input: process.stdin })
  for await (const line of lines) return line
  return ""
}

/** Whether the next line of standard input is `yes`. An input that ends says no. */
export const saysYes = (question: string): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    process.stderr.write(`${question} Type yes:\n`)
    const said = await firstLine()
    // Else an open terminal keeps the process.
    process.stdin.destroy()
    return said.trim() === "yes"
  })
