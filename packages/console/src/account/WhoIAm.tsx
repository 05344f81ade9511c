/** Who one is here: the id that others need, and where one belongs. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Facts } from "../ui/Facts.tsx"
import { SelfId } from "./SelfId.tsx"
import { type Me, useMe } from "./Me.ts"

const Places = ({ organizations }: Pick<Me, "organizations">): ReactNode =>
  organizations.length === 0 ? (
    <span>None yet. Give your id to an owner, who puts it on an organization or a Project.</span>
  ) : (
    <ul role="list">
      {organizations.map(({ id, name, role }) => (
        <li key={id}>
          <Link href={`/org/${id}`}>{name}</Link> <span className="quiet">{role}</span>
        </li>
      ))}
    </ul>
  )

/** The caller. */
export const WhoIAm = (): ReactNode => (
  <Card title="You">
    <Answered query={useMe()} lines={3}>
      {({ memberships, organizations, user }) => (
        <Facts
          of={{
            Name: user.name,
            "Your id": <SelfId id={user.id} />,
            Organizations: <Places organizations={organizations} />,
            "Roles of your own":
              memberships.length === 0
                ? null
                : `on ${memberships.length} ${memberships.length === 1 ? "Project" : "Projects"}`
          }}
        />
      )}
    </Answered>
  </Card>
)
