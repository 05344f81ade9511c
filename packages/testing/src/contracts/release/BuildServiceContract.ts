/** What every BuildService promises: the builds of one commit, whether anything builds, and what is deployed. */
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import {
  BuildService,
  type BuildServiceShape,
  type ServiceBuild,
  type ServiceDeployment
} from "@pawl/core/release/BuildService"

/** What a service knows about the one target of this contract, `buildServiceTarget`. */
export interface TargetBuilds {
  readonly builds: ReadonlyArray<ServiceBuild>
  readonly hasTrigger: boolean
  readonly deployment: ServiceDeployment | null
  /** This contract asks only services that answer. */
  readonly fault: null
}

/** How an adapter's test makes a service for this contract. */
export interface BuildServiceFixture {
  /** A service whose one target, `buildServiceTarget`, is as the state says. */
  readonly layer: (state: TargetBuilds) => Layer.Layer<never, unknown>
}

/** The one target of this contract. */
export const buildServiceTarget = { workerName: "shop", workerTag: "1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d" }

const commit = "c".repeat(40)

/** A build of the contract's commit that succeeded, unless the fields say otherwise. */
export const serviceBuild = (fields: Partial<ServiceBuild> & Pick<ServiceBuild, "id">): ServiceBuild => ({
  status: "finished",
  outcome: "success",
  commit,
  createdAt: "2026-03-01T10:00:00.000Z",
  ...fields
})

/** Declares the suite; `name` names the adapter in its title. */
export const buildServiceContract = (name: string, fixture: BuildServiceFixture): void => {
  const run = <A>(
    state: Partial<TargetBuilds>,
    use: (service: BuildServiceShape) => Effect.Effect<A, unknown>
  ): Promise<A> =>
    Effect.flatMap(BuildService, use).pipe(
      Effect.provide(fixture.layer({ builds: [], hasTrigger: false, deployment: null, fault: null, ...state })),
      Effect.runPromise
    )

  describe(`${name}: BuildService`, () => {
    it("answers the builds of exactly one commit, newest first", () =>
      run(
        {
          builds: [
            serviceBuild({ id: "b1", outcome: "fail" }),
            serviceBuild({ id: "other", commit: "d".repeat(40), createdAt: "2026-03-01T12:00:00.000Z" }),
            serviceBuild({ id: "unknown", commit: null }),
            serviceBuild({ id: "b2", createdAt: "2026-03-01T11:00:00.000Z" })
          ]
        },
        (service) =>
          Effect.map(service.builds(buildServiceTarget, commit), (builds) =>
            expect(builds).toEqual([
              serviceBuild({ id: "b2", createdAt: "2026-03-01T11:00:00.000Z" }),
              serviceBuild({ id: "b1", outcome: "fail" })
            ])
          )
      ))

    it("says of a build whether it is over, and how it ended", () =>
      run(
        {
          builds: [
            ...(["success", "fail", "skipped", "cancelled", "terminated"] as const).map((outcome) =>
              serviceBuild({ id: outcome, outcome })
            ),
            serviceBuild({ id: "running", status: "running", outcome: null })
          ]
        },
        (service) =>
          Effect.map(service.builds(buildServiceTarget, commit), (builds) =>
            expect(new Map(builds.map((build) => [build.id, build.outcome]))).toEqual(
              new Map([
                ["success", "success"],
                ["fail", "fail"],
                ["skipped", "skipped"],
                ["cancelled", "cancelled"],
                ["terminated", "terminated"],
                ["running", null]
              ])
            )
          )
      ))

    it("answers nothing where there is nothing", () =>
      run({}, (service) =>
        Effect.gen(function* () {
          expect(yield* service.builds(buildServiceTarget, commit)).toEqual([])
          expect(yield* service.hasTrigger(buildServiceTarget)).toBe(false)
          expect(yield* service.newestDeployment(buildServiceTarget)).toBeNull()
        })
      ))

    it("says whether anything builds the target", () =>
      run({ hasTrigger: true }, (service) =>
        Effect.map(service.hasTrigger(buildServiceTarget), (has) => expect(has).toBe(true))
      ))

    it.each(["b1", null])("answers the newest deployment with its version and its build: %s", (buildId) =>
      run({ deployment: { id: "d1", versionId: "v1", buildId } }, (service) =>
        Effect.map(service.newestDeployment(buildServiceTarget), (deployment) =>
          expect(deployment).toEqual({ id: "d1", versionId: "v1", buildId })
        )
      )
    )
  })
}
