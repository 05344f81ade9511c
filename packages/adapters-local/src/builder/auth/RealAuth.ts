/**
 * The real-auth check (specification, Authentication 5): an app has no real login, so its build fails when it names a
 * package that signs people in or hashes their passwords, or holds a field that asks for a password. It reads
 *
 * - every package.json, for what it depends on;
 * - code and markup of the source, other than its tests, and whatever of it or of a build command's output the bundle
 *   reaches;
 * - every asset that a browser takes for code, or could show as a page: see `PageTypes`.
 *
 * Runs in the process of one build, which is bounded in time and memory.
 */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { Limits } from "@pawl/core/primitives/Limits"
import { dependencyFindings } from "./AuthDependencies.ts"
import { extensions, type Kind, packageFile } from "./AuthFiles.ts"
import { type AuthFinding, nowhere, type Spot } from "./AuthFinding.ts"
import { mayNameAuth } from "./AuthPackages.ts"
import { authPackageProblem, instead } from "./AuthProblem.ts"
import { textFindings } from "./AuthText.ts"
import { xmlFindings } from "./AuthXml.ts"
import { type Page, textsOfPage } from "../assets/PageTexts.ts"
import { problem } from "../bundler/BundlerProblem.ts"
import { unpacked } from "../bundler/UnpackedBytes.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

/** What the check reads, and its bounds. */
export interface RealAuthJob {
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Those that a build command made. Their code is others' as well, and minified: it is not parsed. */
  readonly generated: ReadonlySet<string>
  /** The assets directory: everything below it is served. */
  readonly assets: string | null
  /** Assets that a browser could show as a page, by their path in the tree. */
  readonly pages: ReadonlyMap<string, Page>
  /** Files that the bundle is made of. */
  readonly reached: ReadonlySet<string>
  /** A longer text is looked through without being parsed, in UTF-16 code units. */
  readonly parseCharacters: number
  /** What a compressed asset is unpacked to at most. */
  readonly unpackedBytes: number
  /** Problems told. */
  readonly problems: number
}

const tests = /(?:^|\/)(?:tests?|__tests__|__mocks__|e2e|cypress)\/|\.(?:test|spec)\.[cm]?[jt]sx?$/i

/** What a file is to the check; null when it does not become part of the app. */
const kindOf = (path: string, job: RealAuthJob): Kind | null => {
  const served = job.assets !== null && path.startsWith(`${job.assets}/`)
  const reached = job.reached.has(path)
  const isOwn = !job.generated.has(path) && !/(?:^|\/)node_modules\//.test(path) && !tests.test(path)
  if (!served && !reached && !isOwn) return null
  if (extensions.code.test(path)) return "code"
  if (extensions.markup.test(path)) return "markup"
  if (!reached) return null
  return extensions.json.test(path) ? "json" : extensions.text.test(path) ? "text" : null
}

/**
 * A character of HTML that is written as a number: any, but the quotes, angles, slash and equals sign that templates escape.
 * An ampersand counts: what it begins is a character to whoever reads it once more.
 */
const numbered = "&#(?!(?:34|39|47|60|61|62|x22|x27|x2f|x3c|x3d|x3e);)"
/** The type of a field is this word and no longer one: a comment about passwords is none. */
const word = "password(?![a-z0-9_])"
/** Letters that are written as numbers are looked at closer. */
const hints: Readonly<Record<Kind, RegExp>> = {
  code: new RegExp(String.raw`${word}|\\x[4-7]|\\u00[4-7]|\\u\{0{0,20}[4-7][0-9a-f]\}|${numbered}`, "i"),
  markup: new RegExp(`${word}|${numbered}`, "i"),
  json: new RegExp(String.raw`${word}|\\u00[4-7]|${numbered}`, "i"),
  text: new RegExp(`${word}|${numbered}`, "i")
}

const nested = 4
/** The parsers, which most builds never need: they take longer to load than a small app to bundle. */
const loadParsers = async () => {
  const [{ codeFindings }, { markupFindings }] = await Promise.all([import("./AuthCode.ts"), import("./AuthMarkup.ts")])
  const markup =
    (depth: number) =>
    (text: string, spot: Spot | null): ReadonlyArray<AuthFinding> =>
      depth === 0
        ? []
        : markupFindings(text, {
            spot,
            depth,
            script: (inner) => codeFindings("script.js", inner, markup(depth - 1)) ?? textFindings(inner)
          })
  return {
    markup: markup(nested),
    code: (path: string, text: string) => codeFindings(path, text, markup(nested)) ?? textFindings(text)
  }
}
let parsers: ReturnType<typeof loadParsers> | null = null

/** Texts of a JSON file, as one text of markup. */
const textsOfJson = (text: string): string => {
  const texts: Array<string> = []
  try {
    JSON.parse(
      text,
      (_, value: unknown) => (typeof value === "string" && value.includes("<") && texts.push(value), null)
    )
  } catch {
    return ""
  }
  return texts.join("\n")
}

const look = async (
  path: string,
  kind: Kind,
  text: string,
  parseCharacters: number,
  isGenerated = false
): Promise<ReadonlyArray<AuthFinding>> => {
  if (!hints[kind].test(text) && !mayNameAuth.test(text)) return []
  if ((kind === "code" && isGenerated) || (kind !== "json" && text.length > parseCharacters)) return textFindings(text)
  const { markup, code } = await (parsers ??= loadParsers())
  if (kind === "json") return markup(textsOfJson(text), nowhere)
  return kind === "code" ? code(path, text) : markup(text, null)
}

const toProblem = (file: string, finding: AuthFinding): BuildProblem => {
  const place = { file, line: finding.line, column: finding.column }
  return finding._tag === "Package"
    ? authPackageProblem(
        `This names ${JSON.stringify(finding.specifier.slice(0, Limits.repeatedLength))}`,
        finding.found.kind,
        place
      )
    : problem("password_field", `A password field is not allowed: ${finding.what}. ${instead}`, place)
}

/** What a browser would see of an asset that it shows as a page. */
const lookAtPage = async (bytes: Uint8Array, page: Page, job: RealAuthJob): Promise<ReadonlyArray<AuthFinding>> => {
  const found: Array<AuthFinding> = []
  for (const each of page.compressed ? [bytes, ...(await unpacked(bytes, job.unpackedBytes))] : [bytes])
    for (const text of textsOfPage(each, page.charsets)) {
      found.push(...(await look("page.html", "markup", text, job.parseCharacters)))
      if (page.xml && (hints.markup.test(text) || text.includes("<!ENTITY"))) found.push(...xmlFindings(text))
    }
  return found
}

/** As what a file is looked at. */
interface As {
  readonly isPackage: boolean
  readonly kind: Kind | null
  readonly isGenerated: boolean
  readonly page: Page | undefined
}

const findings = async (
  path: string,
  bytes: Uint8Array,
  { isGenerated, isPackage, kind, page }: As,
  job: RealAuthJob
): Promise<ReadonlyArray<AuthFinding>> => {
  const text = textOf(bytes)
  return [
    ...(isPackage ? dependencyFindings(text) : []),
    ...(page === undefined ? [] : await lookAtPage(bytes, page, job)),
    ...(isPackage || kind === null || (page !== undefined && kind === "markup")
      ? []
      : await look(path, kind, text, job.parseCharacters, isGenerated))
  ]
}

/** What was found in files, and as what each was looked at: who looks again need not look at those twice. */
export type Looked = Map<
  string,
  { readonly bytes: Uint8Array; readonly as: string; readonly found: ReadonlyArray<AuthFinding> }
>

/** What makes an app's login look real: each problem once for a line, by path, at most `job.problems`. */
export const realAuthProblems = async (
  job: RealAuthJob,
  looked: Looked = new Map()
): Promise<ReadonlyArray<BuildProblem>> => {
  const problems = new Map<string, BuildProblem>()
  for (const path of [...job.files.keys()].sort()) {
    if (problems.size >= job.problems) break
    const isGenerated = job.generated.has(path)
    const isPackage = !isGenerated && packageFile.test(path)
    const kind = kindOf(path, job)
    const page = job.pages.get(path)
    if (kind === null && page === undefined && !isPackage) continue
    const bytes = job.files.get(path) ?? new Uint8Array()
    const as = JSON.stringify([isPackage, kind, isGenerated, page])
    const known = looked.get(path)
    const found =
      known?.as === as && Buffer.compare(known.bytes, bytes) === 0
        ? known.found
        : await findings(path, bytes, { isPackage, kind, isGenerated, page }, job)
    looked.set(path, { bytes, as, found })
    for (const finding of [...found].sort((a, b) => (a.line ?? 0) - (b.line ?? 0))) {
      const what = finding._tag === "Package" ? finding.found.name : finding._tag
      const key = JSON.stringify([path, finding.line, what])
      if (problems.size < job.problems && !problems.has(key)) problems.set(key, toProblem(path, finding))
    }
  }
  return [...problems.values()]
}
