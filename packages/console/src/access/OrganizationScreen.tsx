/** `/org/:id`: who belongs to an organization, and the users that its owners make. */
import { type ReactNode, useState } from "react"
import { useParams } from "wouter"
import { api } from "../api/Client.ts"
import { useAnswer } from "../api/Queries.ts"
import { Refusal } from "../api/Refusal.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Id } from "../ui/Id.tsx"
import { AddToOrganization } from "./AddToOrganization.tsx"
import { NewUser } from "./NewUser.tsx"
import { OrganizationMembers } from "./OrganizationMembers.tsx"
import "../settings/settings.css"

/** One of the caller's own; another one is as if it did not exist. */
const useOrganization = (id: string) =>
  useAnswer(["organizations", id], async (options) => {
    const { items } = await api.organizations.list({ query: { limit: 100 } }, options)
    const found = items.find((each) => each.id === id)
    if (found !== undefined) return found
    throw new Refusal({
      status: 404,
      code: "unknown_organization",
      title: "There is no such organization",
      detail: "None that you belong to has this id.",
      requestId: null,
      facts: {}
    })
  })

/** The organization of the address. */
export default function OrganizationScreen(): ReactNode {
  const { id } = useParams<{ id: string }>()
  const query = useOrganization(id)
  const [isMaking, setMaking] = useState(false)
  const isOwner = query.data?.role === "owner"
  return (
    <Screen
      title={query.data?.name ?? "Organization"}
      lead={
        <>
          Owners are admins in each of its Projects, its other members are members there.{" "}
          <Id id={id} label="organization" />
        </>
      }
      actions={
        isOwner ? (
          <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
            New user
          </Button>
        ) : undefined
      }
    >
      <Answered query={query}>
        {({ role }) => (
          <>
            <OrganizationMembers id={id} isOwner={role === "owner"} />
            {role === "owner" ? <AddToOrganization id={id} /> : null}
          </>
        )}
      </Answered>
      {isMaking ? <NewUser organizationId={id} onClose={() => setMaking(false)} /> : null}
    </Screen>
  )
}
