/** Runs the tests of a file but for those that the quick run before has shown. */
import { join, relative } from "node:path"
import { type SerializedConfig, TestRunner } from "vitest"
import { keyOf, shownBefore, shownPath } from "./Shown.ts"
import { turnOf } from "./Turn.ts"

const root = join(import.meta.dirname, "../..")
const shown = shownBefore(turnOf(process.env), shownPath(process.env))

/** A pattern of titles that also asks whether a test was shown: vitest leaves out what its pattern does not match. */
class Remaining extends RegExp {
  private readonly isShown: (title: string) => boolean

  constructor(pattern: RegExp | undefined, isShown: (title: string) => boolean) {
    super(pattern ?? "")
    this.isShown = isShown
  }

  override [Symbol.match](title: string): RegExpMatchArray | null {
    return this.isShown(title) ? null : super[Symbol.match](title)
  }
}

/** What vitest runs files with. */
export default class LeftOut extends TestRunner {
  private path = ""

  constructor(config: SerializedConfig) {
    super(config)
    const isShown = (title: string) => shown.has(keyOf(this.path, title))
    // A copy: the process goes on with other files, each with a runner of its own.
    this.config = { ...config, testNamePattern: new Remaining(config.testNamePattern, isShown) }
  }

  override importFile(path: string, source: "collect" | "setup"): unknown {
    if (source === "collect") this.path = relative(root, path)
    return super.importFile(path, source)
  }
}
