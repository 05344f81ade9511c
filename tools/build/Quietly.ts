/** Runs a program of ours whose words matter only when it fails. */
import { spawn } from "node:child_process"

export interface Quiet {
  readonly args?: ReadonlyArray<string>
  /** What the program is run for, told on standard error as soon as it says `begins`. */
  readonly waiting: string
  /** What the program says on standard output when there is something to do. */
  readonly begins: string
}

/** The exit code. What the program said goes to standard error when that is not 0, and else to nobody. */
export const runQuietly = (program: string, { args = [], begins, waiting }: Quiet): Promise<number> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    const said: Array<Buffer> = []
    let isTold = false
    for (const output of [child.stdout, child.stderr])
      output.on("data", (piece: Buffer) => {
        said.push(piece)
        if (isTold || !Buffer.concat(said).includes(begins)) return
        isTold = true
        // Standard output is the command's own: what it prints may be read by a program.
        console.error(waiting)
      })
    child.once("close", (code) => {
      if (code !== 0) process.stderr.write(Buffer.concat(said))
      resolve(code ?? 1)
    })
  })
