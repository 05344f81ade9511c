/** The role of somebody in a list, which can be changed there. */
import type { ReactNode } from "react"

/** `label` is its name for screen readers. */
export const RoleSelect = <Role extends string>({
  label,
  onChange,
  role,
  roles
}: {
  readonly label: string
  readonly role: Role
  readonly roles: ReadonlyArray<Role>
  readonly onChange: (role: Role) => void
}): ReactNode => (
  <select
    className="input role"
    aria-label={label}
    value={role}
    onChange={({ target }) => {
      const next = roles.find((each) => each === target.value)
      if (next !== undefined) onChange(next)
    }}
  >
    {roles.map((each) => (
      <option key={each} value={each}>
        {each}
      </option>
    ))}
  </select>
)
