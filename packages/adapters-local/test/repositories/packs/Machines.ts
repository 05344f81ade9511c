/** Machines with a folder of copies each, and nothing in common but the stores: every call lands on the next of them. */
import { Context, Effect, Layer, type Scope } from "effect"
import type { ObjectStore } from "@pawl/core/objects/ObjectStore"
import type { PackLog } from "@pawl/core/project/PackLog"
import { Repositories, type RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { GitPlace } from "@pawl/adapters-local/repositories/GitPlace"
import type { GitPorts } from "@pawl/adapters-local/repositories/GitRepositories"
import * as PackRepositories from "@pawl/adapters-local/repositories/packs/PackRepositories"

type Service = typeof Repositories.Service

/** One machine, until the scope ends. */
export const machine = (
  directory: string,
  cacheBytes?: number
): Effect.Effect<Context.Context<GitPorts>, RepositoriesUnavailable, Scope.Scope | PackLog | ObjectStore> =>
  Layer.build(Layer.fresh(PackRepositories.layer({ directory, ...(cacheBytes === undefined ? {} : { cacheBytes }) })))

/** Repositories whose every call is the next machine's. `before` is done before each. */
export const inTurn = (
  machines: ReadonlyArray<Context.Context<GitPorts>>,
  before: (at: number) => void = () => undefined
): Service => {
  let turn = 0
  const next = (): Service => {
    const at = turn++ % machines.length
    before(at)
    const found = machines[at]
    if (found === undefined) throw new Error("no machines")
    return Context.get(found, Repositories)
  }
  const names = Object.keys(next())
  turn = 0
  const call =
    (name: string) =>
    (...args: ReadonlyArray<never>) =>
      Effect.suspend(() =>
        (next() as unknown as Record<string, (...all: ReadonlyArray<never>) => Effect.Effect<never>>)[name]!(...args)
      )
  return Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as Service
}

/** Three machines below a folder, over the stores that there are. */
export const layerOfThree = (
  directory: string,
  before?: (roots: ReadonlyArray<string>) => (at: number) => void
): Layer.Layer<Repositories, RepositoriesUnavailable, PackLog | ObjectStore> =>
  Layer.effect(
    Repositories,
    Effect.map(
      Effect.forEach(["a", "b", "c"], (name) => machine(`${directory}/${name}`)),
      (machines) => inTurn(machines, before?.(machines.map((each) => Context.get(each, GitPlace).root)))
    )
  )
