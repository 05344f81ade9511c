/** `pawl import <folder>`: makes a Project of a local one, with its lock file, and says where it lives. */
import { resolve } from "node:path"
import { Limits } from "@pawl/core/primitives/Limits"
import { isSlug } from "@pawl/core/model/Project"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { Effect, Option } from "effect"
import { Problem } from "../../api/Problem.ts"
import { ServerLimits } from "../../ServerLimits.ts"
import { importAgain } from "./ImportAgain.ts"
import { outcome, outcomeLines } from "./ImportOutcome.ts"
import { type LocalProject, readLocalProject, slugOf } from "./LocalProject.ts"
import { asking, CannotAsk, jsonOption, remoteOptions, reporting, telling } from "./Remote.ts"

const cannot = (reason: string) => new CannotAsk({ reason })

const reading = (folder: string): Effect.Effect<LocalProject, CannotAsk> =>
  Effect.tryPromise({
    try: () => readLocalProject(folder),
    catch: () => cannot(`${folder} is no folder that can be read`)
  })

/** Paths that are told of many. */
const few = 3

/** Refuses here what the server would refuse after all of it was sent. */
const checked = ({ files, sizes }: LocalProject, folder: string): Effect.Effect<void, CannotAsk> => {
  if (sizes.length > Limits.sourceEntries) return cannot(`a source has at most ${Limits.sourceEntries} files`)
  const sent = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  const bodyBytes = Math.max(sent, Buffer.byteLength(JSON.stringify(files))) + ServerLimits.importRoomBytes
  if (bodyBytes < Limits.sourceBodyBytes)
    return Object.keys(files).length > 0 ? Effect.void : cannot(`${folder} holds no file to send`)
  const largest = sizes.toSorted((a, b) => b.bytes - a.bytes).slice(0, few)
  const named = largest.map(({ bytes, path }) => `${path} (${(bytes / 1024 ** 2).toFixed(1)} MiB)`).join(", ")
  return cannot(
    `the files come to more than the ${Limits.sourceBodyBytes / 1024 ** 2} MiB that one request may have; the largest: ${named}. Add what need not be sent to .gitignore, or push the rest with git afterwards`
  )
}

const slugFor = (given: Option.Option<string>, folder: string): Effect.Effect<string, CannotAsk> => {
  const slug = Option.getOrElse(given, () => slugOf(folder))
  return isSlug(slug)
    ? Effect.succeed(slug)
    : cannot(
        `${slug === "" ? "the folder's name" : slug} makes no slug: give --slug, 1 to ${Limits.slugLength} lowercase letters, digits and single inner hyphens`
      )
}

const listed = ({ leftOut }: LocalProject): ReadonlyArray<string> => leftOut.map(({ path, why }) => `  ${path}: ${why}`)

const importing = Effect.fnUntraced(function* (
  folder: string,
  slug: string,
  project: LocalProject,
  remote: Parameters<typeof asking>[0]
) {
  const made = yield* asking(remote, (client) =>
    client.projects.create({ payload: { slug, files: project.files } }).pipe(
      Effect.map((answer) => answer.project.id),
      Effect.catchIf(
        (error) => error instanceof Problem && error.code === "slug_taken",
        () => Effect.succeed(null)
      )
    )
  )
  if (made === null) return yield* importAgain(remote, slug, project)
  yield* telling(`${made}: ${Object.keys(project.files).length} file(s) of ${folder}, as ${slug}`)
  return outcomeLines(yield* asking(remote, (client) => outcome(client, made)), made)
})

/** Prints what is not sent, the Project, and where its app lives or why it does not. Exits with 1 when it is not live. */
export const importCommand = Command.make(
  "import",
  {
    folder: Argument.String("folder"),
    slug: Flag.String("slug").pipe(
      Flag.optional,
      Flag.withDescription("the name of the Project in addresses (the folder's name)")
    ),
    ...remoteOptions,
    ...jsonOption
  },
  ({ folder, json, slug: given, ...remote }) =>
    reporting(
      Effect.gen(function* () {
        const root = resolve(folder)
        const slug = yield* slugFor(given, root)
        const project = yield* reading(root)
        if (project.leftOut.length > 0) yield* telling(["not sent:", ...listed(project)].join("\n"))
        yield* checked(project, folder)
        return yield* importing(folder, slug, project, remote)
      }),
      json
    )
).pipe(
  Command.withDescription(
    "Makes a Project of a folder, with its lock file, and waits until it is live; exits with 1 when it is not, 2 when it could not ask"
  )
)
