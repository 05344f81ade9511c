/**
 * What a bundle still imports by a name that only its run knows: `import(name)`. Nothing is installed where apps run,
 * so that such an import finds a module of the app itself, one of the runtime, or nothing. That is worth a warning; a
 * package of real login that it plainly may name is refused as everywhere.
 */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { init, parse } from "es-module-lexer/minimal"
import { LocalLimits } from "../../LocalLimits.ts"
import { type AuthPackage, authPackage } from "../auth/AuthPackages.ts"
import { problem } from "./BundlerProblem.ts"

/** One such import that is left in a bundle. */
export interface RunTimeImport {
  /** The file of the source or of a package that imports, as far as the bundle tells. */
  readonly file: string | null
  /** Whether a package imports: who uses it can do nothing about it. */
  readonly isPackages: boolean
  /** Packages of real login among the texts of what is imported. */
  readonly auth: ReadonlyArray<AuthPackage>
}

/** The bundler writes each file's name before its code. */
const marks = ["app", "package", "vendored"].map((space) => `\n// ${space}:`)

const fileAt = (code: string, at: number): Pick<RunTimeImport, "file" | "isPackages"> => {
  const [nearest] = marks.map((mark) => ({ mark, from: code.lastIndexOf(mark, at) })).sort((a, b) => b.from - a.from)
  if (nearest === undefined || nearest.from < 0) return { file: null, isPackages: false }
  const { from, mark } = nearest
  return {
    file: code.slice(from + mark.length, code.indexOf("\n", from + 1)),
    isPackages: !mark.includes(" app:")
  }
}

/** The imports of bundled code whose name is known only at run time; none for code that the lexer cannot read. */
export const runTimeImports = async (code: string): Promise<ReadonlyArray<RunTimeImport>> => {
  if (!/\bimport\b\s*\(/.test(code)) return []
  await init()
  try {
    return parse(code)[0]
      .filter(({ d, n }) => d >= 0 && n === undefined)
      .map(({ ss, s, e }) => {
        const texts = code
          .slice(s, Math.min(e, s + LocalLimits.buildImportLength))
          .matchAll(/["'`]([^"'`\s]{1,300})["'`]/g)
        const auth = [...texts].flatMap(([, text]) => authPackage(text ?? "") ?? [])
        return { ...fileAt(`\n${code}`, ss + 1), auth }
      })
  } catch {
    return []
  }
}

/** The warning for one such import; it fails no build. */
export const runTimeImportWarning = ({ file }: Pick<RunTimeImport, "file">): BuildProblem =>
  problem(
    "import_at_run_time",
    "An import() of a name that is known only at run time is left as it is: it finds no package and no file that the bundle does not hold.",
    { file }
  )
