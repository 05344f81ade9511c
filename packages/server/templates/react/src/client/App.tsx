import { useEffect, useState } from "react"
import * as api from "./api.ts"
import { NoteForm } from "./NoteForm.tsx"
import { NoteList } from "./NoteList.tsx"
import { UserMenu } from "./UserMenu.tsx"

export const App = () => {
  const [board, setBoard] = useState<api.Board>()
  const [problem, setProblem] = useState<string>()

  const show = (answer: Promise<api.Board>) =>
    answer.then(
      (next) => {
        setBoard(next)
        setProblem(undefined)
      },
      () => setProblem("That did not work. Try again.")
    )

  useEffect(() => void show(api.load()), [])

  return (
    <main className="mx-auto flex min-h-screen max-w-xl flex-col gap-6 px-4 py-10 text-stone-900 dark:text-stone-100">
      <header className="flex items-baseline justify-between gap-4">
        <h1 className="text-3xl font-semibold tracking-tight">Notes</h1>
        {board && <UserMenu user={board.user} users={board.users} onChoose={(id) => void show(api.actAs(id))} />}
      </header>
      <NoteForm onAdd={(text) => show(api.add(text))} />
      {problem && (
        <p role="alert" className="text-red-700 dark:text-red-400">
          {problem}
        </p>
      )}
      {board && <NoteList notes={board.notes} onRemove={(id) => void show(api.remove(id))} />}
    </main>
  )
}
