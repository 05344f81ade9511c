/** Programs that take the time to be another than it is, by libfaketime: its package is `libfaketime` on Debian. */
import { existsSync } from "node:fs"

const library = [
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib64/faketime/libfaketime.so.1"
].find((path) => existsSync(path))

/** Why no program can be made to; null when it can. */
export const whyNot: string | null = library === undefined ? "needs libfaketime: apt-get install libfaketime" : null
if (whyNot !== null) console.warn(`SKIPPED: tests of clocks that are off: ${whyNot}`)

/** Only what stands on the wall is off: the steady clock of a machine is set by nobody. */
const common = { LD_PRELOAD: library ?? "", FAKETIME_DONT_FAKE_MONOTONIC: "1" }

/** The environment of a program whose clock is off by so much, as `+1h`. */
export const off = (by: string): Readonly<Record<string, string>> => ({ ...common, FAKETIME: by })

/** The environment of a program whose clock is off by what stands in a file at the time. */
export const offByFile = (file: string): Readonly<Record<string, string>> => ({
  ...common,
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_NO_CACHE: "1"
})
