/** The options of where objects are: a folder of this machine, or a bucket of S3. */
import { endpointOf, placeOf, type S3Credentials, type S3Options } from "@pawl/adapters-s3/BucketAddress"
import type { RepositoryKind } from "./GivenOptions.ts"
import { Option, Redacted } from "effect"

/** Where objects are. */
export type ObjectsChoice = { readonly _tag: "Folder" } | ({ readonly _tag: "Bucket" } & S3Options)

/** What AWS's own tools fall back to. */
const defaultRegion = "us-east-1"

/** The options of objects, as they were read. */
export interface ReadObjectOptions {
  readonly objects: string
  readonly s3Endpoint: Option.Option<string>
  readonly s3Region: Option.Option<string>
  readonly s3PathStyle: Option.Option<boolean>
}

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A secret that comes out of a file has an end of line. */
const named = (environment: Environment, name: string): string | null => environment[name]?.trim() || null

/** The names that AWS's own tools know; null: none are there, and the client looks for itself. A text says what is wrong. */
export const credentialsOf = (environment: Environment): S3Credentials | null | string => {
  const [accessKeyId, secret, token] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"].map((name) =>
    named(environment, name)
  )
  if (accessKeyId == null && secret == null) return null
  if (accessKeyId == null) return "AWS_ACCESS_KEY_ID: set it with AWS_SECRET_ACCESS_KEY, or neither"
  if (secret == null) return "AWS_SECRET_ACCESS_KEY: set it with AWS_ACCESS_KEY_ID, or neither"
  return {
    accessKeyId,
    secretAccessKey: Redacted.make(secret),
    sessionToken: token == null ? null : Redacted.make(token)
  }
}

const regionOf = ({ s3Region }: ReadObjectOptions, environment: Environment): string =>
  Option.getOrNull(s3Region) ??
  named(environment, "AWS_REGION") ??
  named(environment, "AWS_DEFAULT_REGION") ??
  defaultRegion

const bucketOf = (read: ReadObjectOptions, environment: Environment): ObjectsChoice | string => {
  const place = placeOf(read.objects)
  const given = Option.getOrNull(read.s3Endpoint)
  const endpoint = given === null ? { url: null } : endpointOf(given)
  const region = regionOf(read, environment)
  const credentials = credentialsOf(environment)
  const problems = [
    ...(typeof place === "string" ? [`objects (PAWL_OBJECTS): ${place}, or folder`] : []),
    ...(typeof endpoint === "string" ? [`s3Endpoint (PAWL_S3_ENDPOINT): ${endpoint}`] : []),
    ...(/^[a-z0-9-]{1,64}$/.test(region)
      ? []
      : ["s3Region (PAWL_S3_REGION): use a region's name, such as eu-central-1"]),
    ...(typeof credentials === "string" ? [credentials] : [])
  ]
  if (typeof place === "string" || typeof endpoint === "string" || typeof credentials === "string")
    return problems.join("; ")
  if (problems.length > 0) return problems.join("; ")
  return {
    _tag: "Bucket",
    ...place,
    endpoint: endpoint.url,
    region,
    // Few servers of one's own have a name for each bucket.
    pathStyle: Option.getOrElse(read.s3PathStyle, () => endpoint.url !== null),
    credentials
  }
}

/** The choice that the options make, or all that is wrong with them, in words. Credentials are the environment's. */
export const objectsOf = (read: ReadObjectOptions, environment: Environment = process.env): ObjectsChoice | string => {
  if (read.objects !== "folder") return bucketOf(read, environment)
  const needless = [
    ...(Option.isSome(read.s3Endpoint) ? ["s3Endpoint (PAWL_S3_ENDPOINT)"] : []),
    ...(Option.isSome(read.s3Region) ? ["s3Region (PAWL_S3_REGION)"] : []),
    ...(Option.isSome(read.s3PathStyle) ? ["s3PathStyle (PAWL_S3_PATH_STYLE)"] : [])
  ]
  return needless.length === 0
    ? { _tag: "Folder" }
    : `${needless.join(", ")}: set objects (PAWL_OBJECTS) to s3://bucket/prefix too, or leave it out`
}

/**
 * Where git repositories are when nobody says it, and whether what somebody says goes: who keeps objects in a bucket may
 * lose the folder. A text says what is wrong.
 */
export const repositoriesOf = (
  { repositories }: { readonly repositories: Option.Option<RepositoryKind> },
  { _tag }: ObjectsChoice
): { readonly kind: RepositoryKind } | string => {
  const kind = Option.getOrElse(repositories, () => (_tag === "Folder" ? "folder" : "packs"))
  return kind === "folder" && _tag !== "Folder"
    ? "repositories (PAWL_REPOSITORIES): with objects in a bucket use packs, or leave it out"
    : { kind }
}
