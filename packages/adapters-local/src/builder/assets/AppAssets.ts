/** The static assets of a source tree, and what of the tree is source. */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import type { AssetEntry, BundleAssets, HeaderRule, RedirectRule } from "@pawl/core/bundle/Bundle"
import { keyProblem } from "@pawl/core/objects/ObjectStore"
import { sha256 } from "@pawl/core/primitives/Digest"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "../../LocalLimits.ts"
import { Effect } from "effect"
import { namedMap } from "../maps/CleanMap.ts"
import { ignoredPaths } from "./AssetsIgnore.ts"
import { contentTypeOf } from "./ContentTypes.ts"
import { readHeaders } from "./HeadersFile.ts"
import { problem } from "../bundler/BundlerProblem.ts"
import { readRedirects } from "./RedirectsFile.ts"
import { exactText, textOf } from "@pawl/core/primitives/Utf8"

type Files = ReadonlyMap<string, { readonly content: Uint8Array }>

/**
 * The two halves of a tree, the rules that its assets are served by, and what is wrong: any problem fails the build.
 */
export interface SplitTree {
  /** By path in the tree. */
  readonly source: ReadonlyMap<string, Uint8Array>
  /** By path under the assets directory. */
  readonly assets: ReadonlyMap<string, Uint8Array>
  readonly headers: ReadonlyArray<HeaderRule>
  readonly redirects: ReadonlyArray<RedirectRule>
  readonly problems: ReadonlyArray<BuildProblem>
  readonly warnings: ReadonlyArray<BuildProblem>
}

/** Files of the assets directory that say how the others are served, and are not served themselves. */
const ruleFiles = ["_headers", "_redirects", ".assetsignore"] as const
type RuleFile = (typeof ruleFiles)[number]

/** The text of a rule file, or nothing; one that cannot be read is a problem. */
const ruleText = (files: Files, directory: string, name: RuleFile, problems: Array<BuildProblem>): string | null => {
  const path = `${directory}/${name}`
  const content = files.get(path)?.content
  if (content === undefined) return null
  if (content.byteLength > LocalLimits.assetRulesBytes) {
    const message = `This file is ${content.byteLength} bytes; it may have ${LocalLimits.assetRulesBytes}.`
    problems.push(problem("asset_rules_over_limit", message, { file: path }))
    return null
  }
  const text = exactText(content)
  if (text === null) problems.push(problem("asset_rules_unreadable", "This file is not UTF-8 text.", { file: path }))
  return text
}

const namesUnder = function* (files: Files, directory: string): Generator<string> {
  for (const path of files.keys()) if (path.startsWith(`${directory}/`)) yield path.slice(directory.length + 1)
}

/** What an `.assetsignore` keeps from being served: by path under the assets directory. */
export const ignoredAssets = (
  files: Files,
  directory: string
): { readonly ignored: ReadonlySet<string>; readonly problems: ReadonlyArray<BuildProblem> } => {
  const problems: Array<BuildProblem> = []
  const text = ruleText(files, directory, ".assetsignore", problems)
  const ignored = text === null ? new Set<string>() : ignoredPaths(text, namesUnder(files, directory))
  if (ignored !== null) return { ignored, problems }
  const message =
    "Its patterns take too long to compare with the files. Write fewer of them, or fewer * and ** in each."
  problems.push(problem("asset_rules_over_limit", message, { file: `${directory}/.assetsignore` }))
  return { ignored: new Set(), problems }
}

/** The source maps among what a build command made: beside what they are about, or named by it. They are served to nobody. */
const generatedMaps = (files: Files, generated: ReadonlySet<string>): ReadonlySet<string> => {
  const maps = new Set<string>()
  for (const path of generated) {
    if (/\.map$/i.test(path) && files.has(path.slice(0, -".map".length))) maps.add(path)
    if (!/\.(?:[cm]?js|css)$/i.test(path)) continue
    const end = files.get(path)?.content.subarray(-LocalLimits.buildMapSourceLength) ?? new Uint8Array()
    const map = namedMap(path, textOf(end))
    if (map !== null && generated.has(map) && /\.map$/i.test(map)) maps.add(map)
  }
  return maps
}

/**
 * Parts the tree into source and assets with their rules, and holds both to their limits. What is ignored is source, and
 * what a build command made (`generated`) does not count as such.
 */
export const splitTree = (
  files: Files,
  {
    directory,
    htmlHandling
  }: { readonly directory: string | null; readonly htmlHandling: BundleAssets["htmlHandling"] },
  generated: ReadonlySet<string> = new Set()
): SplitTree => {
  const source = new Map<string, Uint8Array>()
  const assets = new Map<string, Uint8Array>()
  const { ignored, problems: ignoring } =
    directory === null ? { ignored: new Set<string>(), problems: [] } : ignoredAssets(files, directory)
  const problems: Array<BuildProblem> = [...ignoring]
  const maps = generatedMaps(files, generated)
  for (const [path, { content }] of files) {
    const wrong = keyProblem(path)
    const name = directory !== null && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : null
    if (wrong !== undefined) problems.push(problem("invalid_path", `A path of the source cannot be built: ${wrong}.`))
    else if (name === null) source.set(path, content)
    else if (ruleFiles.some((rules) => rules === name)) continue
    else if (ignored.has(name)) source.set(path, content)
    else if (maps.has(path)) continue
    else assets.set(name, content)
  }
  const own = new Map([...source].filter(([path]) => !generated.has(path)))
  problems.push(...sourceProblems(own), ...assetProblems(assets, directory ?? ""))
  const rules = rulesOf(files, directory, htmlHandling, problems)
  return { source, assets, ...rules, problems: problems.slice(0, LocalLimits.buildProblems) }
}

const rulesOf = (
  files: Files,
  directory: string | null,
  htmlHandling: BundleAssets["htmlHandling"],
  problems: Array<BuildProblem>
): Pick<SplitTree, "headers" | "redirects" | "warnings"> => {
  if (directory === null) return { headers: [], redirects: [], warnings: [] }
  const headers = readHeaders(ruleText(files, directory, "_headers", problems) ?? "", `${directory}/_headers`)
  const redirects = readRedirects(
    ruleText(files, directory, "_redirects", problems) ?? "",
    `${directory}/_redirects`,
    htmlHandling
  )
  return { ...headers, ...redirects, warnings: [...headers.warnings, ...redirects.warnings] }
}

/** The folder at the root that holds most, so that a person sees what to leave out. */
const heaviest = (source: ReadonlyMap<string, Uint8Array>, weigh: (content: Uint8Array) => number): string => {
  const weights = new Map<string, number>()
  for (const [path, content] of source) {
    const top = path.includes("/") ? `${path.slice(0, path.indexOf("/"))}/` : path
    weights.set(top, (weights.get(top) ?? 0) + weigh(content))
  }
  return [...weights].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0]?.[0] ?? ""
}

/** The biggest three files with their bytes. */
const biggestFiles = (source: ReadonlyMap<string, Uint8Array>): string =>
  [...source]
    .toSorted(([a, one], [b, other]) => other.byteLength - one.byteLength || (a < b ? -1 : 1))
    .slice(0, 3)
    .map(([path, { byteLength }]) => `${path.slice(-Limits.repeatedLength)} (${byteLength})`)
    .join(", ")

const sourceProblems = (source: ReadonlyMap<string, Uint8Array>): ReadonlyArray<BuildProblem> => {
  const problems: Array<BuildProblem> = []
  if (source.size > LocalLimits.buildSourceFiles) {
    const most = heaviest(source, () => 1)
    problems.push(
      problem(
        "source_files_over_limit",
        `The source has ${source.size} files; at most ${LocalLimits.buildSourceFiles} are built (assets do not count). Most are in ${most}.`
      )
    )
  }
  let bytes = 0
  for (const content of source.values()) bytes += content.byteLength
  if (bytes > LocalLimits.buildSourceBytes) {
    const most = heaviest(source, (content) => content.byteLength)
    problems.push(
      problem(
        "source_bytes_over_limit",
        `The source has ${bytes} bytes; at most ${LocalLimits.buildSourceBytes} are built (assets do not count). Most are in ${most}. The biggest files are ${biggestFiles(source)}.`
      )
    )
  }
  return problems
}

const assetProblems = (assets: ReadonlyMap<string, Uint8Array>, directory: string): ReadonlyArray<BuildProblem> => {
  const problems: Array<BuildProblem> = []
  if (assets.size > LocalLimits.buildAssets)
    problems.push(
      problem(
        "assets_over_limit",
        `${directory} has ${assets.size} assets; an app may have ${LocalLimits.buildAssets}.`,
        {
          file: directory
        }
      )
    )
  const worker = [...assets.keys()].find((path) => path === "_worker.js" || path.startsWith("_worker.js/"))
  if (worker !== undefined)
    problems.push(
      problem(
        "worker_in_assets",
        `_worker.js would be served to anyone. Name it in ${directory}/.assetsignore, and as "main" if it is the app.`,
        { file: `${directory}/${worker}` }
      )
    )
  for (const [path, content] of assets)
    if (content.byteLength > LocalLimits.buildAssetBytes)
      problems.push(
        problem(
          "asset_over_limit",
          `This asset is ${content.byteLength} bytes; one may have ${LocalLimits.buildAssetBytes}.`,
          { file: `${directory}/${path}` }
        )
      )
  return problems
}

/** The manifest, in path order. Web Crypto hashes beside the event loop. */
export const manifestOf = (
  assets: ReadonlyMap<string, Uint8Array>
): Effect.Effect<Readonly<Record<string, AssetEntry>>> =>
  Effect.forEach(
    [...assets].sort(([a], [b]) => (a < b ? -1 : 1)),
    ([path, content]) =>
      Effect.map(
        sha256(content),
        (digest) => [path, { sha256: digest, size: content.byteLength, contentType: contentTypeOf(path) }] as const
      ),
    { concurrency: 4 }
  ).pipe(Effect.map((entries) => Object.fromEntries(entries)))
