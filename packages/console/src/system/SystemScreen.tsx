/** `/system`: whether the installation can work, what it gave up, and what was used today. */
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { useAnswer } from "../api/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Status } from "../ui/Status.tsx"
import { DirectoryLetters } from "./DirectoryLetters.tsx"
import { Findings } from "./Findings.tsx"
import { readiness } from "./ReadinessQuery.ts"
import { Processes } from "./Processes.tsx"
import { LeftToday, Queue } from "./Queue.tsx"
import { SigningKeys } from "./SigningKeys.tsx"
import { UseToday } from "./UseToday.tsx"
import "../settings/settings.css"

const ServerCard = (): ReactNode => {
  const health = useAnswer(["health"], (options) => api.service.health({}, options))
  const ready = useAnswer(["readiness"], readiness)
  return (
    <Card title="Server">
      <div className="stack stack-tight">
        <Answered query={health} lines={3}>
          {({ environment, version }) => <Facts of={{ Version: version, Environment: environment }} />}
        </Answered>
        <Answered query={ready} lines={1}>
          {(missing) =>
            missing.length === 0 ? (
              <Facts of={{ Ready: <Status of="active" words="It can work" /> }} />
            ) : (
              <Facts
                of={{
                  Ready: <Status of="blocked" words="It cannot work" />,
                  Missing: (
                    <ul role="list">
                      {missing.map((each) => (
                        <li key={each}>{each}</li>
                      ))}
                    </ul>
                  )
                }}
              />
            )
          }
        </Answered>
      </div>
    </Card>
  )
}

/** What the API tells of the installation. */
export default function SystemScreen(): ReactNode {
  return (
    <Screen title="System" lead="The installation itself.">
      <div className="in-turn">
        <ServerCard />
        <LeftToday />
        <Findings />
        <Queue />
        <Processes />
        <DirectoryLetters />
        <UseToday />
        <SigningKeys />
      </div>
    </Screen>
  )
}
