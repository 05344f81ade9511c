/** The spawner that a server has for git and for the jobs of its sandbox. */
import { Context } from "effect"
import type { Spawner } from "./Spawner.ts"

/** Opens it where nobody has asked for it before. Null, the default: who starts a process forks this one. */
export const SharedSpawner = Context.Reference<(() => Promise<Spawner>) | null>(
  "@pawl/adapters-local/spawner/SharedSpawner",
  { defaultValue: () => null }
)
