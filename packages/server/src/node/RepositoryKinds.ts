/** Whether the repositories of this installation are of the kind that the options name. None are moved by themselves. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { repositoryPath } from "@pawl/adapters-local/repositories/RepositoryPath"
import { Records } from "@pawl/core/ledger/Records"
import { PackLog } from "@pawl/core/project/PackLog"
import { Effect } from "effect"
import { ServerLimits } from "../ServerLimits.ts"
import { InvalidOptions, type Options } from "./Options.ts"

const refuse = (kind: string, where: string, use: string) =>
  new InvalidOptions({
    reason: `repositories (PAWL_REPOSITORIES): ${kind}, but the repositories of this installation are ${where}; use ${use}`
  })

/** Fails with `InvalidOptions` where Projects would be without their source. The newest Projects are looked at. */
export const check = Effect.fnUntraced(function* ({ data, repositories }: Pick<Options, "data" | "repositories">) {
  const heads = yield* (yield* Records).list("head", { limit: ServerLimits.repositoryKindLooks })
  const log = yield* PackLog
  for (const { record } of heads.items) {
    const project = record.projectId
    if (repositories === "packs") {
      const { canonDir } = yield* repositoryPath(join(data, "repositories"), { project })
      if (existsSync(canonDir)) return yield* refuse("packs", "folders of the data folder", "folder")
    } else if ((yield* log.standing({ project })) !== null)
      return yield* refuse("folder", "packs in its stores", "packs")
  }
})
