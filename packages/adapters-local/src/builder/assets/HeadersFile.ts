/** Reads the `_headers` of an assets directory by Cloudflare's rules: a path, then indented `Name: value` and `! Name`. */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import type { HeaderRule } from "@pawl/core/bundle/Bundle"
import { LocalLimits } from "../../LocalLimits.ts"
import { isOwned } from "@pawl/router/AssetRules"
import { compile } from "@pawl/router/PathPattern"
import { RuleFile, writtenPath } from "./RuleLines.ts"

interface Block {
  readonly path: string
  readonly line: number
  readonly set: Array<readonly [string, string]>
  readonly unset: Array<string>
}

const looksLikePath = (text: string): boolean => /^(\/|[^\s:]+:\/\/)/.test(text)

/** The pattern of a block, or in words why it is none. */
const patternOf = (text: string): { readonly path: string } | string => {
  const absolute = /^https:\/\/([^/]+)(\/.*)?$/is.exec(text)
  if (absolute === null && !text.startsWith("/")) return "a block begins with a path, or with https:// and a host"
  const host = absolute?.[1]
  if (host !== undefined && /:\d+$/.test(host)) return "a host stands without a port"
  if (host !== undefined && !/^[\w.:*-]+$/.test(host)) return "its host is none"
  const path = writtenPath(absolute === null ? text : (absolute[2] ?? "/"), "path")
  if (path === null) return "its path is none"
  const parts = [compile(path), ...(host === undefined ? [] : [compile(host, ".")])]
  for (const part of parts) if ("problem" in part) return `it cannot be matched, for ${part.problem}`
  if (host !== undefined && host.includes("*") && path.includes("*")) return "it has more than one *"
  // Requests name hosts in lower case; placeholders keep the case of their names.
  return { path: host === undefined ? path : `https://${/[:*]/.test(host) ? host : host.toLowerCase()}${path}` }
}

/** A name that an app may set or remove, or in words why not. */
const nameProblem = (name: string): string | null => {
  if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) return "this is no name of a header"
  return isOwned(name) ? "this header is set by the router or belongs to the connection" : null
}

const addLine = (block: Block, text: string): string | null => {
  if (text.startsWith("!")) {
    const name = text.slice(1).trim().toLowerCase()
    const wrong = nameProblem(name)
    if (wrong === null) block.unset.push(name)
    return wrong
  }
  const colon = text.indexOf(":")
  if (colon < 0) return "a header is a name, a colon and a value"
  const name = text.slice(0, colon).trim().toLowerCase()
  const value = text.slice(colon + 1).trim()
  const wrong = nameProblem(name)
  if (wrong !== null) return wrong
  if (value === "") return "it has no value"
  if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value)) return "its value has a character that no header may have"
  block.set.push([name, value])
  return null
}

/** The blocks in the order of the file, and a warning for each line that was left out. */
export interface ReadHeaders {
  readonly headers: ReadonlyArray<HeaderRule>
  readonly warnings: ReadonlyArray<BuildProblem>
}

/** Reads a `_headers` file as Cloudflare does. `path` is the file's own, for warnings; nothing in it fails a build. */
export const readHeaders = (text: string, path: string): ReadHeaders => {
  const file = new RuleFile(path)
  const rules: Array<HeaderRule> = []
  let block: Block | null = null
  /** The block above could not be read: its lines go with it, told once. */
  let skipping = false
  const close = () => {
    if (block === null) return
    const { line, path: pattern, set, unset } = block
    if (set.length + unset.length > 0) rules.push({ path: pattern, set, unset })
    else file.warn(line, `The block ${pattern} sets and removes no header: it is left out.`)
    block = null
  }
  for (const { line, text: said } of file.lines(text)) {
    if (looksLikePath(said)) {
      close()
      if (rules.length >= LocalLimits.assetHeaderRules) {
        file.warn(
          line,
          `A file may have ${LocalLimits.assetHeaderRules} blocks: this one and all below it are left out.`
        )
        break
      }
      const pattern = patternOf(said)
      skipping = typeof pattern === "string"
      if (typeof pattern === "string") file.warn(line, `${pattern}; its headers are left out too`, said)
      else block = { path: pattern.path, line, set: [], unset: [] }
    } else if (block !== null) {
      const wrong = addLine(block, said)
      if (wrong !== null) file.warn(line, wrong, said)
    } else if (!skipping) file.warn(line, "no path stands above it", said)
  }
  close()
  return { headers: rules, warnings: file.warnings }
}
