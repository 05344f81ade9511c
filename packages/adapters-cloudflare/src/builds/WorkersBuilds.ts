/**
 * BuildService on Cloudflare Workers Builds, read only. A Worker is known by its tag (`external_script_id`) to the
 * Builds API and by its name to the deployments API. A deployment names a version, and a version its build.
 */
import { CloudflareLimits } from "../CloudflareLimits.ts"
import { Effect, Layer, Schema } from "effect"
import { HttpClient } from "effect/http"
import {
  BuildService,
  type BuildServiceFault,
  type BuildServiceShape,
  type ServiceBuild,
  type ServiceDeployment,
  type TargetRef
} from "@pawl/core/release/BuildService"
import { type CloudflareAccount, get } from "./CloudflareApi.ts"

/** What the service may leave out, or answer as null. */
const maybe = <S extends Schema.Top>(schema: S) => Schema.optional(Schema.NullOr(schema))

const Text = maybe(Schema.String)

const Build = Schema.Struct({
  build_uuid: Schema.String,
  /** Null until it has stopped. */
  build_outcome: maybe(Schema.Literals(["success", "fail", "skipped", "cancelled", "terminated"])),
  created_on: Schema.String,
  build_trigger_metadata: maybe(Schema.Struct({ commit_hash: Text }))
})

const Trigger = Schema.Struct({ trigger_uuid: Schema.String, deleted_on: Text })

const Deployments = Schema.Struct({
  deployments: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      created_on: Schema.String,
      versions: Schema.Array(Schema.Struct({ version_id: Schema.String, percentage: Schema.Finite }))
    })
  )
})

/** By version. */
const BuildsOfVersions = Schema.Struct({
  builds: maybe(Schema.Record(Schema.String, Schema.Struct({ build_uuid: Schema.String })))
})

const serviceBuild = (build: typeof Build.Type): ServiceBuild => {
  const outcome = build.build_outcome ?? null
  return {
    id: build.build_uuid,
    status: outcome === null ? "running" : "finished",
    outcome,
    commit: build.build_trigger_metadata?.commit_hash ?? null,
    createdAt: build.created_on
  }
}

const newestFirst = (one: { readonly at: string }, other: { readonly at: string }): number =>
  Date.parse(other.at) - Date.parse(one.at)

const make = (client: HttpClient.HttpClient, account: CloudflareAccount): BuildServiceShape => {
  const builds = Effect.fnUntraced(function* (
    target: TargetRef,
    commit: string,
    page = 1
  ): Effect.fn.Return<ReadonlyArray<ServiceBuild>, BuildServiceFault> {
    const path = `builds/workers/${encodeURIComponent(target.workerTag)}/builds`
    const query = { page: String(page), per_page: String(CloudflareLimits.buildServicePageSize) }
    const listed = yield* get(client, account, path, query, Schema.NullishOr(Schema.Array(Build)))
    const all = (listed ?? []).map(serviceBuild)
    const found = all
      .filter((build) => build.commit === commit)
      .toSorted((one, other) => newestFirst({ at: one.createdAt }, { at: other.createdAt }))
    // Pages come newest first: the builds of one commit do not stand further back than its newest.
    const last = all.length < CloudflareLimits.buildServicePageSize || page >= CloudflareLimits.buildServicePages
    return found.length > 0 || last ? found : yield* builds(target, commit, page + 1)
  })

  const newestDeployment = Effect.fnUntraced(function* (
    target: TargetRef
  ): Effect.fn.Return<ServiceDeployment | null, BuildServiceFault> {
    const path = `workers/scripts/${encodeURIComponent(target.workerName)}/deployments`
    const { deployments } = yield* get(client, account, path, {}, Deployments)
    const newest = deployments.toSorted((one, other) =>
      newestFirst({ at: one.created_on }, { at: other.created_on })
    )[0]
    const version = newest?.versions.length === 1 ? newest.versions[0] : undefined
    if (newest === undefined || version?.percentage !== 100) return null
    const made = yield* get(client, account, "builds/builds", { version_ids: version.version_id }, BuildsOfVersions)
    const buildId = made.builds?.[version.version_id]?.build_uuid ?? null
    return { id: newest.id, versionId: version.version_id, buildId }
  })

  return {
    builds: (target, commit) => builds(target, commit),
    hasTrigger: (target) =>
      Effect.map(
        get(
          client,
          account,
          `builds/workers/${encodeURIComponent(target.workerTag)}/triggers`,
          {},
          Schema.NullishOr(Schema.Array(Trigger))
        ),
        (triggers) => (triggers ?? []).some((trigger) => trigger.deleted_on == null)
      ),
    newestDeployment
  }
}

/** Bounded by `CloudflareLimits`; the faults of Cloudflare are those of `BuildService`. */
export const layer = (account: CloudflareAccount): Layer.Layer<never, never, HttpClient.HttpClient> =>
  Layer.effect(
    BuildService,
    Effect.map(HttpClient.HttpClient, (client) => make(client, account))
  )
