/** What the Project has used. */
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { useProjectHere } from "../project/Here.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Facts } from "../ui/Facts.tsx"
import { bytes, duration, money } from "../ui/Amounts.ts"

/** Days and months are those of UTC. */
export const UsageCard = (): ReactNode => {
  const { id } = useProjectHere()
  const usage = useAnswer(keys.ofProject(id, "usage"), (options) => api.projects.usage({ params: { id } }, options))
  return (
    <Card title="Cost">
      <Answered query={usage}>
        {(used) => (
          <Facts
            of={{
              "Agents, in all": money(used.spent_usd),
              "On its way": used.reserved_usd === 0 ? null : money(used.reserved_usd),
              "Model calls today": `${used.modelCallsToday} (${used.modelCallsCap} for all Projects)`,
              "Builds today": String(used.buildsToday),
              "Sandbox this month": duration(used.sandboxMsThisMonth),
              Bundles: bytes(used.bundleBytes)
            }}
          />
        )}
      </Answered>
    </Card>
  )
}
