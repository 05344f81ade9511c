/** What the process of a build is asked for, from the job: what is there now, or what is foreseen before its command ran. */
import type { BuildJob, BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { packageFile } from "@pawl/core/project/PackageScripts"
import { exactText } from "@pawl/core/primitives/Utf8"
import { LocalLimits } from "../../LocalLimits.ts"
import { splitTree, type SplitTree } from "../assets/AppAssets.ts"
import type { Page } from "../assets/PageTexts.ts"
import { pagesOf } from "../assets/PageTypes.ts"
import { isLookedAt } from "../auth/AuthFiles.ts"
import { type AppSettings, appSettings, foreseenSettings } from "../settings/AppSettings.ts"
import { hasVitePlugin } from "../settings/BuildCommand.ts"
import type { BundlerOrder } from "./BundlerMessages.ts"
import { moduleKind } from "./ModuleTypes.ts"

/** A job whose settings and files can be built, and what its process is asked for. */
export interface ReadJob {
  readonly settings: AppSettings
  readonly split: SplitTree
  readonly order: BundlerOrder
}

/** All that is built: what a build command made stands over the source. */
const filesOf = ({ files, generated }: BuildJob): BuildJob["files"] =>
  generated === undefined || generated.size === 0 ? files : new Map([...files, ...generated])

/** The source, and of the assets what code could import and what a browser takes for code or could show as a page. */
const bundled = (
  all: BuildJob["files"],
  source: ReadonlyMap<string, Uint8Array>,
  pages: ReadonlyMap<string, Page>
): ReadonlyMap<string, Uint8Array> => {
  const files = new Map(source)
  for (const [path, { content }] of all)
    if (!files.has(path) && (moduleKind(path) !== undefined || isLookedAt(path) || pages.has(path)))
      files.set(path, content)
  return files
}

/** By their path in the tree. */
const pagesIn = (split: Pick<SplitTree, "assets" | "headers" | "redirects">, directory: string | null) =>
  new Map([...pagesOf(split)].map(([path, page]) => [`${directory}/${path}`, page]))

const read = (job: BuildJob, settings: AppSettings, layer: string | null): ReadJob => {
  const all = filesOf(job)
  const generated = new Set(job.generated?.keys())
  const split = splitTree(all, settings.assets, generated)
  const pages = pagesIn(split, settings.assets.directory)
  const order: BundlerOrder = {
    files: bundled(all, split.source, pages),
    generated,
    layer,
    pages,
    main: settings.main,
    assets: settings.assets.directory,
    flags: settings.compatibilityFlags,
    rules: settings.rules,
    modules: settings.modules,
    jsx: settings.jsx,
    tsconfig: settings.tsconfig,
    packageBytes: LocalLimits.buildPackageBytes,
    moduleBytes: LocalLimits.buildModuleBytes,
    problems: LocalLimits.buildProblems,
    unpackedBytes: LocalLimits.buildUnpackedBytes,
    parseCharacters: LocalLimits.buildAuthParseCharacters
  }
  return { settings, split, order }
}

/** The job as it stands, or all that is wrong with its settings and files. `layer`: the folder of its packages. */
export const readJob = (
  job: BuildJob,
  layer: string | null
): ReadJob | { readonly problems: ReadonlyArray<BuildProblem> } => {
  const found = appSettings(filesOf(job), job.generated === undefined ? null : new Set(job.generated.keys()))
  if (found._tag === "Refused") return { problems: found.problems }
  const all = read(job, found.settings, layer)
  return all.split.problems.length > 0 ? { problems: all.split.problems } : all
}

/** The order that a job is likely to become once its command ran; null when there is nothing to begin on. */
export const foreseenOrder = (job: BuildJob, layer: string | null): BundlerOrder | null => {
  const settings = foreseenSettings(job.files)
  if (settings === null) return null
  const { order, split } = read(job, settings, layer)
  if (split.problems.length > 0) return null
  const manifest = exactText(job.files.get(packageFile)?.content ?? new Uint8Array()) ?? ""
  // Other settings will count, with another main module.
  return hasVitePlugin(manifest) ? { ...order, main: null } : order
}

/** Whether anything of it has to be looked at: images alone need no process. */
export const needsProcess = ({ files, main, pages }: BundlerOrder): boolean =>
  main !== null || pages.size > 0 || [...files.keys()].some(isLookedAt)
