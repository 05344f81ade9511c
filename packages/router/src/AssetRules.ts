/** The rules that an app ships beside its files, as the bundle holds them: `_redirects`, `_headers`, `run_worker_first`. */
import { RouterLimits } from "./RouterLimits.ts"
import type { Headers } from "@pawl/core/app/AppRuntime"
import type { HeaderRule, RedirectRule, RunWorkerFirst } from "@pawl/core/bundle/Bundle"
import { responseHeaders } from "./Headers.ts"
import { compile, fill, globs, isDynamic, match, type PathPattern, type Values } from "./PathPattern.ts"

/** Who is asked first for a path. `files` alone: the app is not asked even when there is no file. */
export type First = "app" | "files" | "files alone"

/** Who is asked first. An exception (`!`) goes before every other rule. */
export const firstOf = (setting: RunWorkerFirst, pathname: string): First => {
  if (typeof setting === "boolean") return setting ? "app" : "files"
  if (setting.some((rule) => rule.startsWith("!") && globs(rule.slice(1), pathname))) return "files alone"
  return setting.some((rule) => !rule.startsWith("!") && globs(rule, pathname)) ? "app" : "files"
}

/** What a redirect rule does with a request. */
export type Redirect =
  | { readonly _tag: "Redirect"; readonly to: string; readonly status: 301 | 302 | 303 | 307 | 308 }
  /** Another path of the same app is shown, without a word to the visitor. */
  | { readonly _tag: "Rewrite"; readonly pathname: string }

/** The lines of a `_redirects`, made ready for matching. */
export interface Redirects {
  /** Lines before the first with a pattern, by their path. */
  readonly exact: ReadonlyMap<string, RedirectRule>
  readonly patterns: ReadonlyArray<{ readonly pattern: PathPattern; readonly rule: RedirectRule }>
}

/** Null for an app without redirects. What cannot be read is left out: builds do not let it in. */
export const redirectsOf = (rules: ReadonlyArray<RedirectRule> = []): Redirects | null => {
  if (rules.length === 0) return null
  const exact = new Map<string, RedirectRule>()
  const patterns: Array<Redirects["patterns"][number]> = []
  for (const rule of rules) {
    if (patterns.length === 0 && !isDynamic(rule.from)) {
      if (!exact.has(rule.from)) exact.set(rule.from, rule)
      continue
    }
    const pattern = compile(rule.from)
    if (!("problem" in pattern)) patterns.push({ pattern, rule })
  }
  return { exact, patterns }
}

const nowhere = "http://own.invalid"

/** Where a rule leads: an absolute URL, or a path of this host that cannot be read as another host; null for neither. */
const targetOf = (rule: RedirectRule, values: Values, search: string): Redirect | null => {
  const away = rule.to.startsWith("https://")
  // What a visitor wrote must not turn a path into the name of a host.
  const text = away ? fill(rule.to, values) : fill(rule.to, values).replaceAll("\\", "/").replace(/^\/+/, "/")
  const url = URL.parse(text, nowhere)
  if (url === null || (away ? url.protocol !== "https:" : url.origin !== nowhere)) return null
  if (away && rule.status !== 200) {
    if (url.search === "") url.search = search
    return { _tag: "Redirect", to: url.href, status: rule.status }
  }
  if (away) return null
  const pathname = url.pathname.replace(/\/{2,}/g, "/")
  if (rule.status === 200) return { _tag: "Rewrite", pathname }
  return { _tag: "Redirect", to: `${pathname}${url.search || search}${url.hash}`, status: rule.status }
}

/** What the first rule that fits says of a path. A visitor's query goes along unless the rule has its own. */
export const redirectFor = (redirects: Redirects, pathname: string, search: string): Redirect | null => {
  const exact = redirects.exact.get(pathname)
  if (exact !== undefined) return targetOf(exact, {}, search)
  if (redirects.patterns.length === 0) return null
  const segments = pathname.split("/")
  for (const { pattern, rule } of redirects.patterns) {
    const values = match(pattern, segments)
    if (values !== null) return targetOf(rule, values, search)
  }
  return null
}

const ownLengths = new Set(["content-length", "content-range"])

/** Whether a header is the router's or the connection's: an app's rules neither set nor remove it. */
export const isOwned = (name: string): boolean =>
  ownLengths.has(name) ||
  (name !== "set-cookie" && name !== "clear-site-data" && responseHeaders([[name, "x"]]).length === 0)

/** A header as it may leave, or none. Cookies get their prefix here, after the visitor's own path was filled in. */
const leaving = (name: string, value: string): Headers => (isOwned(name) ? [] : responseHeaders([[name, value]]))

interface CompiledRule {
  readonly host: PathPattern | null
  readonly path: PathPattern
  readonly set: HeaderRule["set"]
  readonly unset: ReadonlyArray<string>
}

/** What the rules do to the headers of one path. */
export interface Change {
  readonly set: Headers
  /** Names that the file's own headers lose; those that are set among them. */
  readonly gone: ReadonlySet<string>
}

/** The blocks of a `_headers`, made ready. `byHost`: some name a host. `known` remembers what was found. */
export interface HeaderRules {
  readonly rules: ReadonlyArray<CompiledRule>
  readonly byHost: boolean
  readonly known: Map<string, Change | null>
}

const compiled = (rule: HeaderRule): CompiledRule | null => {
  const absolute = /^https:\/\/([^/]+)(\/.*)$/s.exec(rule.path)
  const host = absolute === null ? null : compile(absolute[1]!, ".")
  const path = compile(absolute === null ? rule.path : absolute[2]!)
  return (host !== null && "problem" in host) || "problem" in path
    ? null
    : { host, path, set: rule.set, unset: rule.unset }
}

/** Null for an app without header rules. */
export const headerRulesOf = (rules: ReadonlyArray<HeaderRule> = []): HeaderRules | null => {
  const read = rules.flatMap((rule) => compiled(rule) ?? [])
  return read.length === 0 ? null : { rules: read, byHost: read.some(({ host }) => host !== null), known: new Map() }
}

/** Rules in their order: a name set twice has both values, one removed loses what came before. */
const changeOf = (rules: ReadonlyArray<CompiledRule>, pathname: string, hostname: string): Change | null => {
  const segments = pathname.split("/")
  const set = new Map<string, Array<string>>()
  const gone = new Set<string>()
  for (const rule of rules) {
    const inHost = rule.host === null ? {} : match(rule.host, hostname.split("."))
    const inPath = inHost === null ? null : match(rule.path, segments)
    if (inPath === null) continue
    for (const name of rule.unset) {
      if (isOwned(name)) continue
      gone.add(name)
      set.delete(name)
    }
    for (const [name, given] of rule.set)
      for (const [kept, value] of leaving(name, fill(given, { ...inHost, ...inPath }))) {
        gone.add(kept)
        set.set(kept, [...(set.get(kept) ?? []), value])
      }
  }
  if (gone.size === 0) return null
  const pairs = [...set].flatMap(([name, values]): Headers =>
    name === "set-cookie" ? values.map((value) => [name, value] as const) : [[name, values.join(", ")] as const]
  )
  return { set: pairs, gone }
}

/** What the rules do to a response with a file at this path; null when no rule fits. Remembered for some paths. */
export const changeFor = (rules: HeaderRules, pathname: string, hostname: string): Change | null => {
  const key = rules.byHost ? `${hostname}${pathname}` : pathname
  const known = rules.known.get(key)
  if (known !== undefined) return known
  const change = changeOf(rules.rules, pathname, hostname)
  if (rules.known.size >= RouterLimits.routerRulePaths) rules.known.clear()
  rules.known.set(key, change)
  return change
}

/** Headers with a change made to them; the same ones where there is none. */
export const changed = (headers: Headers, change: Change | null): Headers =>
  change === null ? headers : [...headers.filter(([name]) => !change.gone.has(name)), ...change.set]
