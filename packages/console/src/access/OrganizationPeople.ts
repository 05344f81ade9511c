/** The members of an organization, and the changing of them. */
import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import type { Key } from "../api/Keys.ts"
import type { Answer } from "../api/Wire.ts"
import { announce } from "../shell/Announcements.ts"

/** One of them. */
export type OrganizationMember = Answer<"organizations", "members">["items"][number]

/** What is put of one. */
export interface OrganizationEntry {
  readonly userId: string
  readonly role: OrganizationMember["role"]
}

/** What becomes of the list. */
export type OrganizationStep = (list: ReadonlyArray<OrganizationEntry>) => ReadonlyArray<OrganizationEntry>

/** The name under which they are kept. */
export const organizationKey = (id: string): Key => ["organizations", id, "members"]

/**
 * The list is read anew before it is put: what somebody else did meanwhile stays. Who changes it in between wins: the
 * server refuses this one, and the list is shown as it is then.
 */
export const useOrganizationChange = (
  id: string
): UseMutationResult<Answer<"organizations", "putMembers">, Error, OrganizationStep> => {
  const client = useQueryClient()
  const params = { id }
  return useMutation({
    mutationFn: async (step: OrganizationStep) => {
      let ifMatch: string | null = null
      const { items } = await api.organizations.members({ params }, { hearTag: (tag) => (ifMatch = tag) })
      const members = step(items.map(({ role, userId }) => ({ role, userId })))
      return api.organizations.putMembers({ params, payload: { members } }, { ifMatch })
    },
    onError: () => client.invalidateQueries({ queryKey: organizationKey(id) }),
    onSuccess: ({ items }) => {
      client.setQueryData(organizationKey(id), items)
      announce("The members are changed")
    }
  })
}
