import type { User } from "../identity/index.ts"

interface Props {
  readonly user: User
  readonly users: ReadonlyArray<User>
  readonly onChoose: (id: string) => void
}

/** Who the visitor is. Nobody logs in: they pick. */
export const UserMenu = ({ onChoose, user, users }: Props) => (
  <label className="flex items-center gap-2 text-sm">
    You are
    <select
      className="rounded-md border border-stone-300 bg-transparent px-2 py-1 dark:border-stone-700"
      value={user.id}
      onChange={(event) => onChoose(event.target.value)}
    >
      {users.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  </label>
)
