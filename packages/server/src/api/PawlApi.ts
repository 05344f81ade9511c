/** The whole HTTP contract, version 1. Changes within `/v1` only add. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AccountApi } from "./AccountApi.ts"
import { ApprovalsApi } from "./ApprovalsApi.ts"
import { AppsApi } from "./AppsApi.ts"
import { AuditsApi } from "./AuditsApi.ts"
import { CandidatesApi } from "./CandidatesApi.ts"
import { ChangesApi } from "./ChangesApi.ts"
import { ChangeSetsApi } from "./ChangeSetsApi.ts"
import { DeadLettersApi } from "./DeadLettersApi.ts"
import { EventsApi } from "./EventsApi.ts"
import { HistoryApi } from "./HistoryApi.ts"
import { MembersApi } from "./MembersApi.ts"
import { OrganizationsApi } from "./OrganizationsApi.ts"
import { PoliciesApi } from "./PoliciesApi.ts"
import { problem, problemContentType, type ProblemStatus, problemStatuses } from "./Problem.ts"
import { ProjectsApi } from "./ProjectsApi.ts"
import { ReleasesApi } from "./ReleasesApi.ts"
import { RollbacksApi } from "./RollbacksApi.ts"
import { ServiceApi } from "./ServiceApi.ts"
import { UsersApi } from "./UsersApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

type Loose = Record<string, unknown>
const isLoose = (value: unknown): value is Loose => typeof value === "object" && value !== null

const problemContent = { [problemContentType]: { schema: { $ref: "#/components/schemas/Problem" } } }
const isProblemStatus = (status: string): status is `${ProblemStatus}` => status in problemStatuses

const each = (value: unknown, change: (inner: unknown, key: string) => unknown): Loose =>
  isLoose(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner, key)])) : {}

/** Every answer from 400 on is a problem. */
const withProblems = (operation: unknown): unknown => {
  if (!isLoose(operation)) return operation
  const responses = each(operation["responses"], (response, status) =>
    isProblemStatus(status)
      ? { description: problemStatuses[Number(status) as ProblemStatus], content: problemContent }
      : response
  )
  return { ...operation, responses }
}

/** `unknown` comes with an id of its own each time; an id may stand once in a document. */
const withoutIds = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutIds)
  if (!isLoose(value)) return value
  return value["$id"] === "/schemas/unknown" ? {} : each(value, withoutIds)
}

/** The library's own shape of a decoding error never leaves the server: its place is taken by `Problem`. */
const ownProblems = (document: Loose): Loose => {
  const components = isLoose(document["components"]) ? document["components"] : {}
  const {
    HttpApiDecodeError: _error,
    Issue: _issue,
    PropertyKey: _key,
    ...schemas
  } = isLoose(components["schemas"]) ? components["schemas"] : {}
  const paths = each(document["paths"], (path) => each(path, withProblems))
  return { ...document, paths: withoutIds(paths), components: { ...components, schemas: withoutIds(schemas) } }
}

export const PawlApi = HttpApi.make("pawl")
  .add(ServiceApi)
  .add(ProjectsApi)
  .add(AppsApi)
  .add(ChangesApi)
  .add(ChangeSetsApi)
  .add(CandidatesApi)
  .add(ApprovalsApi)
  .add(ReleasesApi)
  .add(RollbacksApi)
  .add(AuditsApi)
  .add(PoliciesApi)
  .add(MembersApi)
  .add(EventsApi)
  .add(HistoryApi)
  .add(DeadLettersApi)
  .add(WebhooksApi)
  .add(AccountApi)
  .add(OrganizationsApi)
  .add(UsersApi)
  .addError(problem(400))
  .addError(problem(401))
  .addError(problem(403))
  .addError(problem(404))
  .addError(problem(405))
  .addError(problem(409))
  .addError(problem(410))
  .addError(problem(413))
  .addError(problem(415))
  .addError(problem(422))
  .addError(problem(429))
  .addError(problem(500))
  .addError(problem(503))
  .annotateContext(
    OpenApi.annotations({
      title: "Pawl",
      version: "1",
      description:
        "Changes to live applications: composed, verified, promoted and released. Every error is a problem (RFC 9457).",
      transform: ownProblems
    })
  )

/** The OpenAPI 3.1 document of the contract. Unknown fields are ignored, so nothing in it forbids more of them. */
export const openApiDocument = OpenApi.fromApi(PawlApi, { additionalPropertiesStrategy: "allow" })
