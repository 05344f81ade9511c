/** What this process says of itself to the others of its installation. */
import { hostname } from "node:os"
import { makeUlid } from "@pawl/core/primitives/Ids"
import * as Time from "@pawl/core/primitives/Time"
import type { ServerProcess } from "@pawl/core/work/Fleet"
import { Effect } from "effect"
import { ServerLimits } from "../ServerLimits.ts"
import type { Options } from "./Options.ts"
import { version } from "./Version.ts"

/**
 * The process as it stands in the store: its id is the name of its host, its number there, and letters by chance, since
 * in containers neither of the two has to be its own.
 */
export const ownProcess = ({ roles }: Pick<Options, "roles">): Effect.Effect<ServerProcess> =>
  Effect.map(Effect.all([makeUlid, Time.now]), ([ulid, startedAt]) => ({
    id: `${hostname()}-${process.pid}-${ulid.slice(-ServerLimits.processMarkLength)}`,
    version,
    roles,
    startedAt
  }))
