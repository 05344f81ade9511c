/** Every port that repositories which are held in memory provide: the product's, and what git clients are served by. */
import { PushReceiver } from "@pawl/adapters-local/repositories/transport/PushReceiver"
import { Repositories } from "@pawl/core/project/Repositories"
import { Context } from "effect"
import { canonicalWrites } from "./CanonicalWrites.ts"
import { forkWrites } from "./ForkWrites.ts"
import type { HeldRepositories } from "./HeldRepositories.ts"
import { reads } from "./RepositoryReads.ts"
import * as FetchServer from "./transport/FetchServer.ts"
import * as HeldPushes from "./transport/HeldPushes.ts"
import * as HeldStatements from "./transport/HeldStatements.ts"

/** The ports. */
export type HeldPorts = Repositories | FetchServer.FetchServer | PushReceiver | HeldStatements.HeldStatements

/** All of them on the same repositories. `reading` may put another way to read a file in place of the plain one. */
export const ports = (
  held: HeldRepositories,
  reading: (plain: (typeof Repositories.Service)["read"]) => (typeof Repositories.Service)["read"] = (plain) => plain
): Context.Context<HeldPorts> => {
  const plain = { ...reads(held), ...forkWrites(held), ...canonicalWrites(held) }
  return Context.make(Repositories, { ...plain, read: reading(plain.read) }).pipe(
    Context.add(FetchServer.FetchServer, FetchServer.make(held)),
    Context.add(PushReceiver, HeldPushes.make(held)),
    Context.add(HeldStatements.HeldStatements, HeldStatements.make(held))
  )
}
