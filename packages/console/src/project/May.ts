/** What the caller may do on a Project by role and by token, as the server says: buttons are off by it. It judges again. */
import { api } from "../api/Client.ts"
import type { Key } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { useProjectHere } from "./Here.ts"
import type { EndpointsOf, GroupName } from "../api/Wire.ts"

/** An operation of the API by its name: `candidates.promote`. */
export type Operation = { [G in GroupName]: `${G}.${Extract<keyof EndpointsOf<G>, string>}` }[GroupName]

/** Why not, in the server's words; null where nothing speaks against it. */
export type MayNot = (operation: Operation) => string | null

/** The name under which all of it is kept: no news tell that it moved. */
export const mayKey: Key = ["me", "capabilities"]

/** Of a Project; null until it was answered. */
export const useMayNot = (projectId: string): MayNot | null => {
  const { data } = useAnswer([...mayKey, projectId], (options) =>
    api.account.capabilities({ query: { projectId } }, options)
  )
  return data === undefined ? null : (asked) => data.items.find(({ operation }) => operation === asked)?.reason ?? null
}

/** Why nothing can be done on a Project that is archived. */
export const archived = "The Project is archived."

/** Why a button that does this is off on the Project of the screen; null where it can be pressed. */
export const useWhyNot = (operation: Operation): string | null => {
  const { id, status } = useProjectHere()
  const mayNot = useMayNot(id)
  return status === "archived" ? archived : (mayNot?.(operation) ?? null)
}
