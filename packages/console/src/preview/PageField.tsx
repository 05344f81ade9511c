/** Which page of the app the frames show. */
import { type ReactNode, type SubmitEvent, useState } from "react"

/** A path as somebody typed it, with the slash that it begins with. */
const pathIn = (typed: string): string => {
  const path = typed.trim()
  return path.startsWith("/") ? path : `/${path}`
}

/** A page of the app at an address: its host stays, whatever the path is. */
export const pageAt = (url: string, path: string): string => new URL(url).origin + path

/** It counts at Enter, or when the field is left: a frame is not loaded at each key. */
export const PageField = ({ go, path }: { readonly path: string; readonly go: (path: string) => void }): ReactNode => {
  const [typed, setTyped] = useState(path)
  const leave = () => {
    setTyped(pathIn(typed))
    go(pathIn(typed))
  }
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    leave()
  }
  return (
    <form className="preview-page" onSubmit={send}>
      <input
        className="input"
        aria-label="Page of the app"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={leave}
      />
    </form>
  )
}
