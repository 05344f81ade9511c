import { useState } from "react"
import { textLength } from "../worker/notes.ts"

export const NoteForm = ({ onAdd }: { readonly onAdd: (text: string) => Promise<void> }) => {
  const [text, setText] = useState("")
  return (
    <form
      className="flex gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        void onAdd(text).then(() => setText(""))
      }}
    >
      <input
        className="min-w-0 flex-1 rounded-md border border-stone-300 bg-transparent px-3 py-2 dark:border-stone-700"
        aria-label="A new note"
        placeholder="What is on your mind?"
        maxLength={textLength}
        required
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button className="rounded-md bg-teal-700 px-4 py-2 font-medium text-white hover:bg-teal-800">Add</button>
    </form>
  )
}
