/** What a new process is given at its descriptors, by whoever forks it. It imports nothing but Node's own. */
import { constants, openSync } from "node:fs"
import { covers, firstCovered } from "../Inheritance.ts"
import type { Command } from "./Starter.ts"

/** The named pipe that is to be descriptor 1, opened, for its opener to close; null where there is none. */
export const openedOutput = ({ output }: Command): number | null =>
  output === undefined ? null : openSync(output, constants.O_WRONLY)

/** The same for all that are started: what we were given does not change. */
let covering: ReadonlyArray<number | "ignore"> | undefined

/** From descriptor 0 on. `stream` gives what stands at one of its own. */
export const stdioOf = <Stream>(
  { covered = false, streams }: Command,
  stream: (descriptor: number) => Stream,
  output: number | null
): Array<Stream | number | "ignore"> => {
  const given = Array.from({ length: streams }, (_, descriptor) =>
    descriptor === 1 && output !== null ? output : stream(descriptor)
  )
  return covered ? [...given, ...(covering ??= covers()).slice(streams - firstCovered)] : given
}
