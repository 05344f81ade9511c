/** The static assets of a source tree, and what of the tree is source. */
import type { BuildJob, BuildProblem } from "@pawl/core/app/AppBuilder"
import type { AssetEntry } from "@pawl/core/app/Bundle"
import { keyProblem } from "@pawl/core/objects/ObjectStore"
import { sha256 } from "@pawl/core/primitives/Digest"
import { Limits } from "@pawl/core/primitives/Limits"
import { Effect } from "effect"
import { contentTypeOf } from "./ContentTypes.ts"
import { problem } from "./Problems.ts"

type Files = BuildJob["files"]

export interface SplitTree {
  /** By path in the tree. */
  readonly source: ReadonlyMap<string, Uint8Array>
  /** By path under the assets directory. */
  readonly assets: ReadonlyMap<string, Uint8Array>
  readonly problems: ReadonlyArray<BuildProblem>
  readonly warnings: ReadonlyArray<BuildProblem>
}

/** Files that configure a host of assets elsewhere. Serving them would be wrong, and applying them is not supported. */
const configuration: Readonly<Record<string, string>> = {
  _headers: "headers are not added to assets",
  _redirects: "redirects are not applied to assets"
}

/** Parts the tree into source and assets, and holds both to their limits. */
export const splitTree = (files: Files, directory: string | null): SplitTree => {
  const source = new Map<string, Uint8Array>()
  const assets = new Map<string, Uint8Array>()
  const problems: Array<BuildProblem> = []
  const warnings: Array<BuildProblem> = []
  for (const [path, { content }] of files) {
    const wrong = keyProblem(path)
    const name = directory !== null && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : null
    if (wrong !== undefined) problems.push(problem("invalid_path", `A path of the source cannot be built: ${wrong}.`))
    else if (name === null) source.set(path, content)
    else if (name === ".assetsignore")
      problems.push(
        problem(
          "setting_unsupported",
          "An .assetsignore is not applied: every file of the assets directory is served. Move what must not be served elsewhere.",
          { file: path }
        )
      )
    else if (Object.hasOwn(configuration, name))
      warnings.push(problem("setting_ignored", `${name} is not read: ${configuration[name]}.`, { file: path }))
    else assets.set(name, content)
  }
  problems.push(...sourceProblems(source), ...assetProblems(assets, directory ?? ""))
  return { source, assets, problems: problems.slice(0, Limits.buildProblems), warnings }
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

const sourceProblems = (source: ReadonlyMap<string, Uint8Array>): ReadonlyArray<BuildProblem> => {
  const problems: Array<BuildProblem> = []
  if (source.size > Limits.buildSourceFiles) {
    const most = heaviest(source, () => 1)
    problems.push(
      problem(
        "source_files_over_limit",
        `The source has ${source.size} files; at most ${Limits.buildSourceFiles} are built (assets do not count). Most are in ${most}.`
      )
    )
  }
  let bytes = 0
  for (const content of source.values()) bytes += content.byteLength
  if (bytes > Limits.buildSourceBytes) {
    const most = heaviest(source, (content) => content.byteLength)
    problems.push(
      problem(
        "source_bytes_over_limit",
        `The source has ${bytes} bytes; at most ${Limits.buildSourceBytes} are built (assets do not count). Most are in ${most}.`
      )
    )
  }
  return problems
}

const assetProblems = (assets: ReadonlyMap<string, Uint8Array>, directory: string): ReadonlyArray<BuildProblem> => {
  const problems: Array<BuildProblem> = []
  if (assets.size > Limits.buildAssets)
    problems.push(
      problem("assets_over_limit", `${directory} has ${assets.size} assets; an app may have ${Limits.buildAssets}.`, {
        file: directory
      })
    )
  for (const [path, content] of assets)
    if (content.byteLength > Limits.buildAssetBytes)
      problems.push(
        problem(
          "asset_over_limit",
          `This asset is ${content.byteLength} bytes; one may have ${Limits.buildAssetBytes}.`,
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
