/** Which build command a source names, and whether something here can run it. */
import type { BuildCommand, BuildJob } from "@pawl/core/bundle/AppBuilder"
import { manifestFiles } from "@pawl/core/packages/LockFiles"
import { packageFile } from "@pawl/core/project/PackageScripts"
import { problem } from "@pawl/adapters-local/builder/bundler/BundlerProblem"
import { buildCommand } from "@pawl/adapters-local/builder/settings/BuildCommand"

const refused: BuildCommand = {
  _tag: "Refused",
  problems: [
    problem(
      "build_command_unavailable",
      "This source needs a build command, and nothing here runs one: there is no container. Leave what the command makes in the source, and take the command out of pawl.json."
    )
  ]
}

const withoutPackages: BuildCommand = {
  _tag: "Refused",
  problems: [
    problem(
      "build_command_unavailable",
      "This source needs a build command and has a lock file, and no packages are brought into the containers here. Leave what the command makes in the source, and take the command out of pawl.json."
    )
  ]
}

const hasLock = (files: BuildJob["files"]): boolean =>
  manifestFiles.some((name) => name !== packageFile && files.has(name))

/** What has to run before these files are bundled; without `commands` a source that names something is refused in words. */
export const commandOf =
  (commands: boolean) =>
  (files: BuildJob["files"]): BuildCommand => {
    const found = buildCommand(files)
    if (found._tag !== "Command") return found
    return commands ? (hasLock(files) ? withoutPackages : found) : refused
  }
