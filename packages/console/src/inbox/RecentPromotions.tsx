/** Below an empty Inbox: what went out last, so that silence can be told from nothing happening. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"
import type { Project } from "../project/ByLabel.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { lastPromotions } from "./InboxQuery.ts"

interface Promotion {
  readonly project: Project
  readonly version: Answer<"projects", "versions">["items"][number]
}

const triggers: Readonly<Record<string, string>> = {
  seed: "first source",
  user: "promoted",
  auto: "by policy",
  rollback: "rollback"
}

/** The newest generations of these Projects: those that were promoted last. */
export const RecentPromotions = ({ projects }: { readonly projects: ReadonlyArray<Project> }): ReactNode => {
  const recent = useAnswer([...keys.inbox, "recent", ...projects.map(({ id }) => id)], async (options) => {
    const each = await Promise.all(
      projects.map(async (project): Promise<ReadonlyArray<Promotion>> => {
        const { items } = await api.projects.versions(
          { params: { id: project.id }, query: { limit: lastPromotions } },
          options
        )
        return items.map((version) => ({ project, version }))
      })
    )
    return each
      .flat()
      .toSorted((a, b) => (a.version.promotedAt < b.version.promotedAt ? 1 : -1))
      .slice(0, lastPromotions)
  })
  return (
    <Answered query={recent} lines={3}>
      {(promotions) =>
        promotions.length === 0 ? null : (
          <Card title="Last promotions">
            <ul role="list" className="recent">
              {promotions.map(({ project, version }) => (
                <li key={`${project.id} ${version.generation}`}>
                  <Link href={`/p/${project.label}/generations/${version.generation}`}>
                    {project.name} S{version.generation}
                  </Link>
                  <Tag>{triggers[version.trigger] ?? version.trigger}</Tag>
                  <Time at={version.promotedAt} />
                </li>
              ))}
            </ul>
          </Card>
        )
      }
    </Answered>
  )
}
