/** Runs a program of ours whose words matter only when it fails. */
import { spawn } from "node:child_process"

export interface Quiet {
  /** What the program is run for, told on standard output to whoever waits longer than `patienceMs`. */
  readonly waiting: string
  readonly patienceMs: number
}

/** The exit code. What the program said goes to standard error when that is not 0, and else to nobody. */
export const runQuietly = (program: string, { patienceMs, waiting }: Quiet): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "pipe"] })
    const said: Array<Buffer> = []
    for (const output of [child.stdout, child.stderr]) output.on("data", (piece: Buffer) => said.push(piece))
    const patience = setTimeout(() => console.log(waiting), patienceMs)
    child.once("close", (code) => {
      clearTimeout(patience)
      if (code !== 0) process.stderr.write(Buffer.concat(said))
      resolve(code ?? 1)
    })
  })
