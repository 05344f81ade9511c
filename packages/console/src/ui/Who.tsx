/** Who did something: a person by name, an agent, or Pawl itself. */
import type { ReactNode } from "react"
import { useSignedIn } from "../account/Me.ts"
import { useProjectHere } from "../project/Here.ts"
import { useMemberList } from "../project/ProjectQueries.ts"
import { shortId } from "./ShortId.ts"

/** Who acted, as records hold it. */
export interface Acted {
  readonly type: string
  readonly id: string
}

/** Only within a Project: its members say the names. Whoever is no member any more is told by their id. */
export const Who = ({ of: { id, type } }: { readonly of: Acted }): ReactNode => {
  const { id: project } = useProjectHere()
  const mine = useSignedIn()
  const members = useMemberList(project)
  if (type === "system") return <span title={id}>Pawl, {id.replace(/^system:/, "").replaceAll("-", " ")}</span>
  if (type === "agent") return <span title={id}>an agent</span>
  const name = mine.data?.user.id === id ? mine.data.user.name : members.data?.find(({ userId }) => userId === id)?.name
  return <span title={id}>{name ?? shortId(id)}</span>
}
