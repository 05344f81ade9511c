import type { Note } from "../worker/notes.ts"

interface Props {
  readonly notes: ReadonlyArray<Note>
  readonly onRemove: (id: string) => void
}

export const NoteList = ({ notes, onRemove }: Props) =>
  notes.length === 0 ? (
    <p className="text-stone-500">Nothing noted yet.</p>
  ) : (
    <ul className="divide-y divide-stone-200 dark:divide-stone-800">
      {notes.map(({ id, text }) => (
        <li key={id} className="flex items-start justify-between gap-4 py-3">
          <span className="break-words">{text}</span>
          <button
            className="text-sm text-stone-500 hover:text-red-700"
            aria-label={`Remove ${text}`}
            onClick={() => onRemove(id)}
          >
            Remove
          </button>
        </li>
      ))}
    </ul>
  )
