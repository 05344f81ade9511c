/** Projects, their source and their history. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { InsufficientRole } from "@pawl/core/access/Access"
import { list as organizationsOf, requirePlace } from "@pawl/core/access/Organizations"
import { bundleJsonOf, sbomOfGeneration } from "@pawl/core/app/KeptSbom"
import { find } from "@pawl/core/ledger/Decision"
import { InvalidField, Unknown } from "@pawl/core/ledger/Refusals"
import { entityTag } from "@pawl/core/primitives/Conditional"
import { sha256 } from "@pawl/core/primitives/Digest"
import { sbomType } from "@pawl/core/packages/Sbom"
import { signedSummary } from "@pawl/core/provenance/Summary"
import { archive } from "@pawl/core/project/Archival"
import * as Projects from "@pawl/core/project/Projects"
import type { FileEdits } from "@pawl/core/project/Repositories"
import { type ImportOrigin, SourceImport } from "@pawl/core/project/SourceImport"
import { type TemplateName, Templates } from "@pawl/core/project/Templates"
import { usage } from "@pawl/core/project/Usage"
import { CurrentUser } from "../../api/Authentication.ts"
import type { EnvelopeFormat } from "../../api/EnvelopeFormat.ts"
import { PawlApi } from "../../api/PawlApi.ts"
import { ApiSettings } from "../ApiSettings.ts"
import { summaryPlaces } from "../SummaryPlaces.ts"
import { envelopeAnswer } from "../answer/EnvelopeAnswer.ts"
import { answering } from "../answer/HandlerAnswer.ts"
import { taggedWhole, withTag } from "../answer/Validators.ts"
import { codeAnswer } from "./Code.ts"
import { comparison, releasesOf, versionOf, versionsOf } from "./Generations.ts"
import { canonicalOf, pageOfProjects } from "./ProjectLists.ts"
import { actor, onProject } from "../request/Reach.ts"

/** The organization that a new Project belongs to: the one that is named, else the caller's first. */
const organizationFor = Effect.fnUntraced(function* (named: string | undefined) {
  const { user } = yield* CurrentUser
  if (named !== undefined) return (yield* requirePlace(user.id, named, "member")).organizationId
  const first = (yield* organizationsOf(user.id, { limit: 1 })).items[0]
  return first === undefined
    ? yield* new InsufficientRole({ held: "none", needed: "member of an organization" })
    : first.id
})

/** The files of a first source: a template's, those that were sent, or a repository's elsewhere; null for none. */
const filesOf = Effect.fnUntraced(function* (body: {
  readonly template?: TemplateName
  readonly files?: FileEdits
  readonly import?: ImportOrigin
}) {
  const { files, import: origin, template } = body
  if ([files, origin, template].filter((each) => each !== undefined).length > 1)
    return yield* new InvalidField({
      code: "invalid_field",
      field: template === undefined ? "import" : "template",
      reason: "name one of template, files and import"
    })
  if (origin !== undefined) return yield* (yield* SourceImport).files(origin)
  if (template === undefined) return files ?? null
  return yield* (yield* Templates).files(template)
})

/** The number of a generation as a path names it. */
const number = /^(?:0|[1-9]\d{0,14})$/

/** Bytes that never change, with the tag of what they are. */
const finalBytes = (bytes: Uint8Array, contentType: string) =>
  Effect.flatMap(sha256(bytes), (digest) =>
    Effect.as(withTag(entityTag(digest)), HttpServerResponse.uint8Array(bytes, { contentType }))
  )

/** The list of a generation's packages, byte for byte as it was stored. */
const sbomAnswer = Effect.fnUntraced(function* (projectId: string, n: string) {
  if (!number.test(n)) return yield* new Unknown({ kind: "version", id: n })
  return yield* finalBytes(yield* sbomOfGeneration(projectId, Number(n)), sbomType)
})

const bundleAnswer = Effect.fnUntraced(function* (projectId: string, n: string) {
  if (!number.test(n)) return yield* new Unknown({ kind: "version", id: n })
  return yield* finalBytes(yield* bundleJsonOf(projectId, Number(n)), "application/json")
})

const vsaAnswer = Effect.fnUntraced(function* (projectId: string, n: string, asked?: EnvelopeFormat) {
  if (!number.test(n)) return yield* new Unknown({ kind: "version", id: n })
  const { version } = yield* ApiSettings
  const placesOf = summaryPlaces(projectId, Number(n))
  return yield* envelopeAnswer(yield* signedSummary(projectId, Number(n), { placesOf, version }), asked)
})

/** A Project that had no source, with its first. */
const seeded = Effect.fnUntraced(function* (id: string, source: Parameters<typeof filesOf>[0]) {
  const project = yield* onProject(id)
  const files = yield* filesOf(source)
  if (files === null)
    return yield* new InvalidField({
      code: "invalid_field",
      field: "files",
      reason: "name one of template, files and import"
    })
  return { project: yield* Projects.addSource(yield* actor, project.id, files) }
})

/** Handlers of `projects`, with their source, usage, versions and releases. */
export const ProjectsHttp = HttpApiBuilder.group(PawlApi, "projects", (handlers) =>
  handlers
    .handle("create", ({ payload }) =>
      answering(
        Effect.gen(function* () {
          const organizationId = yield* organizationFor(payload.organizationId)
          const files = yield* filesOf(payload)
          const name = payload.name === undefined ? {} : { name: payload.name }
          return {
            project: yield* Projects.create(yield* actor, { organizationId, slug: payload.slug, files, ...name })
          }
        })
      )
    )
    .handle("list", ({ query }) => answering(Effect.flatMap(CurrentUser, ({ user }) => pageOfProjects(user.id, query))))
    .handle("get", ({ params }) =>
      answering(
        Effect.gen(function* () {
          const project = yield* onProject(params.id)
          return { project, canonical: canonicalOf((yield* find("head", project.id))?.record) }
        })
      )
    )
    .handle("archive", ({ params }) =>
      answering(
        Effect.map(
          Effect.flatMap(Effect.all([onProject(params.id), actor]), ([project, by]) => archive(by, project.id)),
          (project) => ({ project })
        )
      )
    )
    .handle("source", ({ params, payload }) => answering(seeded(params.id, payload)))
    .handle("code", ({ params, query }) =>
      answering(Effect.flatMap(onProject(params.id), (project) => codeAnswer(project.id, query)))
    )
    .handle("usage", ({ params }) => answering(Effect.flatMap(onProject(params.id), (project) => usage(project.id))))
    .handle("versions", ({ params, query }) =>
      answering(Effect.flatMap(onProject(params.id), (project) => versionsOf(project, query)))
    )
    .handle("version", ({ params }) =>
      answering(
        Effect.flatMap(onProject(params.id), (project) =>
          number.test(params.n)
            ? Effect.flatMap(versionOf(project, Number(params.n)), (version) => taggedWhole({ version }))
            : new Unknown({ kind: "generation", id: params.n })
        )
      )
    )
    .handle("compare", ({ params, query }) =>
      answering(Effect.flatMap(onProject(params.id), (project) => comparison(project, query)))
    )
    .handle("sbom", ({ params }) =>
      answering(Effect.flatMap(onProject(params.id), (project) => sbomAnswer(project.id, params.n)))
    )
    .handle("bundle", ({ params }) =>
      answering(Effect.flatMap(onProject(params.id), (project) => bundleAnswer(project.id, params.n)))
    )
    .handle("vsa", ({ params, query }) =>
      answering(Effect.flatMap(onProject(params.id), (project) => vsaAnswer(project.id, params.n, query.format)))
    )
    .handle("releases", ({ params, query }) =>
      answering(Effect.flatMap(onProject(params.id), (project) => releasesOf(project, query)))
    )
)
