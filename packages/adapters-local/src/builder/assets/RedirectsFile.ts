/** Reads the `_redirects` of an assets directory by Cloudflare's rules: one `source destination [status]` a line. */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { type BundleAssets, RedirectRule } from "@pawl/core/bundle/Bundle"
import { LocalLimits } from "../../LocalLimits.ts"
import { compile, isDynamic } from "@pawl/router/PathPattern"
import { Schema } from "effect"
import { RuleFile, type RuleLine, writtenPath } from "./RuleLines.ts"

const isStatus = Schema.is(RedirectRule.fields.status)

/** Where a redirect may lead: a path of the app, or an absolute HTTPS address. */
const destination = (text: string): string | null => {
  if (!text.startsWith("https://")) return writtenPath(text, "path, query and fragment")
  return /^https:\/\/[^/\\@?#]+([/?#]|$)/.test(text) && !text.includes("\\") ? text : null
}

/** `/* /index.html` and the like lead to themselves: `html_handling` takes the end of the name off again. */
const isLoop = (from: string, to: string, html: BundleAssets["htmlHandling"]): boolean =>
  /\/index(\.html)?$/.test(to) && to.startsWith("/") && (from.endsWith("/*") || (from.endsWith("/") && html !== "none"))

/** The rule of a line, or in words why there is none. */
const ruleOf = ({ text }: RuleLine, html: BundleAssets["htmlHandling"]): RedirectRule | string => {
  const words = text.split(/\s+/)
  const comment = words.findIndex((word, index) => index >= 2 && word.startsWith("#"))
  const [source = "", target = "", code = "302", ...more] = comment < 0 ? words : words.slice(0, comment)
  if (target === "" || more.length > 0)
    return "it needs a source, a destination and perhaps a status, with spaces between"
  const from = /^https?:/i.test(source) ? null : writtenPath(source.startsWith("/") ? source : `/${source}`, "path")
  if (from === null) return "a source is a path that begins with a slash"
  const pattern = compile(from)
  if ("problem" in pattern) return `its source cannot be matched, for ${pattern.problem}`
  const to = destination(target)
  if (to === null) return "a destination begins with one slash, or with https:// and a host"
  const status = /^\d{3}$/.test(code) ? Number(code) : 0
  if (!isStatus(status)) return "a status is 200, 301, 302, 303, 307 or 308"
  if (status === 200 && !to.startsWith("/"))
    return "status 200 shows another file of the app, and nothing from elsewhere"
  if (isLoop(from, to, html)) return "it would lead to itself for ever; not_found_handling shows a page for every path"
  return { from, to, status }
}

/** The first rule of each source, in the order of the file, and a warning for each line that was left out. */
export interface ReadRedirects {
  readonly redirects: ReadonlyArray<RedirectRule>
  readonly warnings: ReadonlyArray<BuildProblem>
}

/**
 * Reads a `_redirects` file as Cloudflare does. `path` is the file's own, for warnings; nothing in it fails a build.
 */
export const readRedirects = (text: string, path: string, html: BundleAssets["htmlHandling"]): ReadRedirects => {
  const file = new RuleFile(path)
  const rules = new Map<string, RedirectRule>()
  let fixed = 0
  let dynamic = 0
  for (const line of file.lines(text)) {
    const rule = ruleOf(line, html)
    if (typeof rule === "string") file.warn(line.line, rule, line.text)
    else if (rules.has(rule.from)) file.warn(line.line, "a line above has the same source", line.text)
    // A plain source below a pattern is looked for in order, as a pattern is, and counts as one.
    else if (dynamic > 0 || isDynamic(rule.from)) {
      if (++dynamic > LocalLimits.assetRedirectsDynamic) {
        file.warn(
          line.line,
          `A file may have ${LocalLimits.assetRedirectsDynamic} redirects from the first with * or :name on: this line and all below it are left out.`
        )
        break
      }
      rules.set(rule.from, rule)
    } else if (++fixed > LocalLimits.assetRedirectsStatic)
      file.warn(line.line, `a file may have ${LocalLimits.assetRedirectsStatic} redirects of single paths`, line.text)
    else rules.set(rule.from, rule)
  }
  return { redirects: [...rules.values()], warnings: file.warnings }
}
