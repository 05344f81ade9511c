/** The lines of a `_headers` or `_redirects` file. One that cannot be read is left out with a warning, as Cloudflare does. */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "../../LocalLimits.ts"
import { problem } from "../bundler/BundlerProblem.ts"

/** One line that says something, without blanks at its ends. */
export interface RuleLine {
  readonly text: string
  /** Counts from 1. */
  readonly line: number
}

/** How much of a line a warning repeats. */
const shown = (text: string): string =>
  text.length > Limits.repeatedNameLength ? `${text.slice(0, Limits.repeatedNameLength)}…` : text

/** Gathers the warnings of one file. */
export class RuleFile {
  readonly warnings: Array<BuildProblem> = []
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  warn(line: number, why: string, text?: string): void {
    if (this.warnings.length >= LocalLimits.buildProblems) return
    const message = text === undefined ? why : `This line is left out: ${why}. It says: ${shown(text)}`
    this.warnings.push(problem("rule_ignored", message, { file: this.path, line }))
  }

  /** Lines that say something: no comments, no empty ones, none that is too long. */
  lines(text: string): ReadonlyArray<RuleLine> {
    const lines: Array<RuleLine> = []
    for (const [index, raw] of text
      .replace(/^\uFEFF/, "")
      .split("\n")
      .entries()) {
      const line = raw.trim()
      if (line === "" || line.startsWith("#")) continue
      if (line.length > LocalLimits.assetRuleLineLength)
        this.warn(
          index + 1,
          `it has ${line.length} characters; a line may have ${LocalLimits.assetRuleLineLength}`,
          line
        )
      else lines.push({ text: line, line: index + 1 })
    }
    return lines
  }
}

const base = "http://own.invalid"

/**
 * A path as URLs have it, so that it meets the path of a request: escaped, no fragment. `null` when it is none.
 * `*` and `:name` stay as they are.
 */
export const writtenPath = (text: string, keep: "path" | "path, query and fragment"): string | null => {
  if (!text.startsWith("/") || text.startsWith("//") || text.includes("\\")) return null
  const url = URL.parse(text, base)
  if (url === null || url.origin !== base || url.pathname.startsWith("//")) return null
  return keep === "path" ? url.pathname : `${url.pathname}${url.search}${url.hash}`
}
