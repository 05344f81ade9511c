/** Projects: creating, reading, their first source, their code, and what became of it over time. */
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { projectOrders } from "@pawl/core/ledger/Recency"
import { ProjectStatus } from "@pawl/core/model/Project"
import { sbomType } from "@pawl/core/packages/Sbom"
import { Usage } from "@pawl/core/project/Usage"
import { ImportOrigin } from "@pawl/core/project/SourceImport"
import { TemplateName } from "@pawl/core/project/Templates"
import { Trigger } from "@pawl/core/model/Generation"
import { releaseStatuses } from "@pawl/core/model/Release"
import { Limits } from "@pawl/core/primitives/Limits"
import { matching } from "@pawl/core/primitives/TextPattern"
import { ServerLimits } from "../../ServerLimits.ts"
import { Authenticated } from "../Authentication.ts"
import { envelopeForms, EnvelopeQuery, envelopeType } from "../EnvelopeFormat.ts"
import { SeedFiles } from "../Files.ts"
import { about, administering, BodyLimit, reading, readingOwn, writing, writingOwn } from "../Needs.ts"
import { diffed, DiffParams, pathWords } from "../Diffs.ts"
import {
  ById,
  oneOfParam,
  PageParams,
  pageOf,
  queryNumber,
  searchParam,
  searchWords,
  statusParam,
  textParam
} from "../PageParams.ts"
import { CanonicalRecord, DiffAnswer, ProjectRecord, ReleaseRecord, VersionRecord } from "../RecordSchemas.ts"

const ProjectAnswer = Schema.Struct({ project: ProjectRecord })

const NewProjectBody = Schema.Struct({
  slug: Schema.String,
  /** Default: the slug. */
  name: Schema.optionalKey(Schema.String),
  /** Default: the organization that the caller joined first. */
  organizationId: Schema.optionalKey(Schema.String),
  /** S0 is the template … */
  template: Schema.optionalKey(TemplateName),
  /** … or exactly these files … */
  files: Schema.optionalKey(SeedFiles),
  /** … or those of a repository elsewhere. With none of the three, the Project has no source yet. */
  import: Schema.optionalKey(ImportOrigin)
})

/** One of the three. */
const SourceBody = NewProjectBody.mapFields(Struct.pick(["template", "files", "import"]))

const TreeAnswer = Schema.Struct({
  tree: Schema.String,
  entries: Schema.Array(
    Schema.Struct({ path: Schema.String, type: Schema.Literals(["file", "directory"]), size: Schema.Finite })
  )
})

/** `text` when the bytes are UTF-8 without a zero byte, else `base64`. */
const FileAnswer = Schema.Struct({
  path: Schema.String,
  size: Schema.Finite,
  text: Schema.optionalKey(Schema.String),
  base64: Schema.optionalKey(Schema.String)
})

const create = HttpApiEndpoint.post("create", "/v1/projects", {
  payload: NewProjectBody,
  success: ProjectAnswer.pipe(HttpApiSchema.status(201))
})
  .annotate(BodyLimit, Limits.sourceBodyBytes)
  .annotateMerge(
    about(
      writingOwn,
      "Create a Project",
      "Seeds S0 from a template, from files, or from the files of a git repository on one of the hosts of `PAWL_IMPORT_HOSTS`; the caller becomes its admin. 400 `import_refused` and 503 `import_unavailable` say why a repository cannot be taken: nothing was made then."
    )
  )

/** What a list of Projects can tell of each beside its record. */
const projectParts = ["head", "app", "counts"] as const
/** One of `projectParts`: the name of the field that it is told in. */
export type ProjectPart = (typeof projectParts)[number]
const anyPart = `(?:${projectParts.join("|")})`

/** The query of the list of Projects. */
export const ProjectsParams = Schema.Struct({
  ...PageParams.fields,
  /** Only the one that has this label. */
  label: textParam(ServerLimits.searchLength),
  /** Only those in whose name, slug or label all of these words stand, in capitals or not, or whose id begins so. */
  q: searchParam,
  /** Only those in one of these. */
  status: statusParam(ProjectStatus.literals),
  /** What stands first: of which something moved last, or which was promoted last. Then there is one page. */
  order: Schema.optionalKey(Schema.Literals(projectOrders)),
  /** What else to tell of each: some of `head`, `app` and `counts`, with commas between. */
  include: Schema.optionalKey(
    Schema.String.check(
      matching(`^${anyPart}(?:,${anyPart})*$`, `use some of ${projectParts.join(", ")}, with commas between`)
    )
  )
})
export interface ProjectsParams extends Schema.Schema.Type<typeof ProjectsParams> {}

const list = HttpApiEndpoint.get("list", "/v1/projects", {
  query: ProjectsParams,
  success: pageOf(ProjectRecord)
}).annotateMerge(
  about(
    readingOwn,
    "The Projects that the caller may see",
    `\`label\` keeps the one that has it, \`q\` those in whose name, slug or label each of its words stands somewhere, in capitals or not, or whose id begins so. \`status\` keeps those in one of the statuses that are named, each as a \`status=\` of its own. ${searchWords("Projects", "With `q` or `status`, and without `order`,")} \`order=moved\` puts first of what something moved last, and one of which nothing moved by when it was made; \`order=promoted\` what was promoted last, without what never was: of all Projects that the caller may see, also with \`q\` and \`status\`, page by page. One that moves while pages are read goes to the front, and may be missed there. \`include=head,app,counts\` tells more of each: \`head\`, as \`canonical\` of the Project; \`app\`, as its app without previews; \`counts\`, how many Changes are not over and how many wait in the lane.`
  )
)

const get = HttpApiEndpoint.get("get", "/v1/projects/:id", {
  params: ById,
  success: Schema.Struct({ project: ProjectRecord, canonical: Schema.NullOr(CanonicalRecord) })
}).annotateMerge(
  about(reading, "A Project and its canonical head", "`canonical` is null while the Project has no source.")
)

const archive = HttpApiEndpoint.delete("archive", "/v1/projects/:id", {
  params: ById,
  success: ProjectAnswer.pipe(HttpApiSchema.status(202))
}).annotateMerge(
  about(
    administering,
    "Archive a Project",
    "Its hosts answer 410 from the next request on. It takes no more work (409 `project_archived`), its source, app and forks are deleted, and its records can still be read. A repeat answers the same."
  )
)

const source = HttpApiEndpoint.post("source", "/v1/projects/:id/source", {
  params: ById,
  payload: SourceBody,
  success: ProjectAnswer.pipe(HttpApiSchema.status(201))
})
  .annotate(BodyLimit, Limits.sourceBodyBytes)
  .annotateMerge(about(writing, "Seed S0 of a Project that has no source", "409 `has_source` when it has one."))

const code = HttpApiEndpoint.get("code", "/v1/projects/:id/code", {
  params: ById,
  query: Schema.Struct({
    tree: Schema.optionalKey(Schema.String),
    changeset: Schema.optionalKey(Schema.String),
    path: Schema.optionalKey(Schema.String)
  }),
  success: Schema.Union([TreeAnswer, FileAnswer])
}).annotateMerge(
  about(
    reading,
    "A tree's listing, or with `path` one file",
    "`tree` is that of any generation or Candidate of the Project; `changeset` has that of a ChangeSet whose fork is kept, and wins. Without either, canonical's."
  )
)

/** A number of a generation in a query. */
const generationNumber = queryNumber(0, Number.MAX_SAFE_INTEGER)

/** A page by its place in the list, or by number. */
const NumberedPageParams = Schema.Struct({
  ...PageParams.fields,
  /** Only generations with a smaller number. It wins over `cursor`, and `nextCursor` is null: ask again with the last number. */
  before: Schema.optionalKey(generationNumber)
})

const versions = HttpApiEndpoint.get("versions", "/v1/projects/:id/versions", {
  params: ById,
  query: Schema.Struct({ ...NumberedPageParams.fields, trigger: oneOfParam("trigger", Trigger.literals) }),
  success: pageOf(VersionRecord)
}).annotateMerge(
  about(
    reading,
    "The generations of a Project, newest first",
    `With \`before\` those with smaller numbers, wherever that is in the list: \`before=8&limit=2\` is S7 and S6. Then \`nextCursor\` is null, and the last number leads on. \`trigger\` keeps those that came to be in one of the ways that are named, each as a \`trigger=\` of its own; with \`before\`, of the page that there would be without it. ${searchWords("generations", "With `trigger`")} Ask for the next page with the same query.`
  )
)

const version = HttpApiEndpoint.get("version", "/v1/projects/:id/versions/:n", {
  params: Schema.Struct({ ...ById.fields, n: Schema.String }),
  success: Schema.Struct({ version: VersionRecord })
}).annotateMerge(
  about(reading, "One generation of a Project", "By its number: `versions/7` is S7. 404 `unknown_generation`.")
)

const compare = HttpApiEndpoint.get("compare", "/v1/projects/:id/compare", {
  params: ById,
  query: Schema.Struct({
    /** Default: the generation before `to`. */
    from: Schema.optionalKey(generationNumber),
    /** Default: the head. */
    to: Schema.optionalKey(generationNumber),
    ...DiffParams.fields
  }),
  success: DiffAnswer
})
  .annotateMerge(
    about(
      reading,
      "What changes from one generation to another",
      `\`to\` may be the older one: so a rollback is read before it is asked for. JSON, or with \`Accept: text/plain\` git's unified form. ${pathWords} 404 \`unknown_generation\`.`
    )
  )
  .annotate(OpenApi.Transform, diffed)

const sbom = HttpApiEndpoint.get("sbom", "/v1/projects/:id/versions/:n/sbom", {
  params: Schema.Struct({ ...ById.fields, n: Schema.String }),
  success: Schema.String.annotate({ description: "a list of packages, as CycloneDX 1.6 JSON" }).pipe(
    HttpApiSchema.asText({ contentType: sbomType })
  )
}).annotateMerge(
  about(
    reading,
    "What is in a generation: its packages",
    "CycloneDX 1.6, made from what was built. 404 `no_sbom` where no list is kept."
  )
)

const bundle = HttpApiEndpoint.get("bundle", "/v1/projects/:id/versions/:n/bundle", {
  params: Schema.Struct({ ...ById.fields, n: Schema.String }),
  success: Schema.String.annotate({ description: "a bundle.json" }).pipe(
    HttpApiSchema.asText({ contentType: "application/json" })
  )
}).annotateMerge(
  about(
    reading,
    "The bundle.json of a generation",
    "Byte for byte as its digest is stated: the app's modules, and the digests of its files. 404 `unknown_bundle` where none is kept."
  )
)

const vsa = HttpApiEndpoint.get("vsa", "/v1/projects/:id/versions/:n/vsa", {
  params: Schema.Struct({ ...ById.fields, n: Schema.String }),
  query: EnvelopeQuery,
  success: Schema.String.annotate({
    description: "a DSSE envelope, or with `format=bundle` a Sigstore bundle v0.3, both JSON"
  }).pipe(HttpApiSchema.asText({ contentType: envelopeType }))
}).annotateMerge(
  about(
    reading,
    "A generation's SLSA verification summary (VSA)",
    `Derived from the promotion's signed statement, and signed when it is asked for. ${envelopeForms} 404 \`no_statement\` where none tells of it, 409 \`statement_unsigned\` until it is signed, 404 \`unknown_statement\` where no key that counts signed it.`
  )
)

const releases = HttpApiEndpoint.get("releases", "/v1/projects/:id/releases", {
  params: ById,
  query: Schema.Struct({ ...NumberedPageParams.fields, status: statusParam(releaseStatuses) }),
  success: pageOf(ReleaseRecord)
}).annotateMerge(
  about(
    reading,
    "The releases of a Project, newest first",
    "`status` keeps those in one of the statuses that are named, each as a `status=` of its own. With `before` those of the generations that the list of versions answers for the same query; not each generation has one, and fewer are in a status."
  )
)

const usage = HttpApiEndpoint.get("usage", "/v1/projects/:id/usage", { params: ById, success: Usage }).annotateMerge(
  about(
    reading,
    "What a Project has used",
    "Money of all its Changes, spent and kept for calls of models that are on their way; calls of models of today (UTC), of this Project, and how many all Projects may make in a day; builds of today and sandbox time of this month (UTC), of this Project; the bytes of its stored bundles."
  )
)

/** `archive` ends a Project for good. */
export const ProjectsApi = HttpApiGroup.make("projects")
  .add(create)
  .add(list)
  .add(get)
  .add(archive)
  .add(source)
  .add(code)
  .add(usage)
  .add(versions)
  .add(version)
  .add(compare)
  .add(sbom)
  .add(bundle)
  .add(vsa)
  .add(releases)
  .middleware(Authenticated)
  .annotate(OpenApi.Description, "Projects, their source and their history")
