/** What is known of a package once its archive was unpacked, wherever its files are kept. */
import { Result } from "effect"
import { needsScript, scriptNames } from "./InstallScripts.ts"
import { programsOf } from "./PackagePrograms.ts"
import type { UnpackedPackage } from "./Tarball.ts"
import type { PackageManifest } from "./TarballManifest.ts"
import type { UnpackedFacts } from "./UnpackedFacts.ts"

const licenseForm = /^[A-Za-z0-9.+() -]{1,200}$/

/** A word or an SPDX expression; of old packages the `type` of an object. */
const licenseOf = ({ license }: PackageManifest): string | null => {
  const said = typeof license === "object" && license !== null && "type" in license ? license.type : license
  return typeof said === "string" && licenseForm.test(said.trim()) ? said.trim() : null
}

/** What is known of a package. Fails with what is wrong, as a sentence goes on after its name. */
export const factsOf = (
  { files, manifest }: UnpackedPackage,
  { name, version }: { readonly name: string; readonly version: string }
): Result.Result<UnpackedFacts, string> => {
  const paths = new Set(files.map(({ path }) => path))
  return Result.map(programsOf(manifest, paths), (programs) => ({
    name,
    version,
    bytes: files.reduce((sum, { content }) => sum + content.length, 0),
    license: licenseOf(manifest),
    scripts: scriptNames(manifest, paths),
    needsScript: needsScript(manifest, paths),
    programs,
    files: [...paths].sort()
  }))
}
