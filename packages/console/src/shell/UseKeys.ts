/** Listens to the keyboard, where nobody is typing. */
import { useEffect } from "react"
import { useLocation } from "wouter"
import { type Command, keysAreOn, readKey } from "./KeyBindings.ts"
import { useLabelHere } from "./LabelHere.ts"
import { changeIn } from "./Place.ts"
import { switcherId } from "./ProjectSwitcher.tsx"

/** A second key that comes later than this, in ms, begins anew. */
const togetherMs = 1000

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable], dialog[open]") !== null

const step = (by: 1 | -1): void => {
  const rows = Array.from(document.querySelectorAll<HTMLElement>("main [data-row]"))
  const at = rows.findIndex((row) => row === document.activeElement)
  rows[at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by]?.focus()
}

const openProjects = (): void => document.getElementById(switcherId)?.showPopover()

/** Carries out what keys mean; `showKeys` opens their table. */
export const useKeys = (showKeys: () => void): void => {
  const [path, go] = useLocation()
  const label = useLabelHere()
  useEffect(() => {
    let pending = ""
    let pendingAt = 0
    const carryOut = (command: Command): void => {
      if ("go" in command) return go(command.go)
      if ("goInProject" in command) return label === null ? undefined : go(`/p/${label}/${command.goInProject}`)
      if ("goInChange" in command) {
        const change = changeIn(path)
        return change === null ? undefined : go(`/changes/${change}/${command.goInChange}`)
      }
      if ("open" in command) return command.open === "keys" ? showKeys() : openProjects()
      if ("focus" in command) return document.querySelector<HTMLElement>("main [data-search]")?.focus()
      if ("press" in command)
        return document.querySelector<HTMLElement>(`main [data-press="${command.press}"]`)?.click()
      step(command.step)
    }
    const hear = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key === "k" && !event.altKey) {
        event.preventDefault()
        return openProjects()
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !keysAreOn()) return
      const reading = readKey(event.timeStamp - pendingAt > togetherMs ? "" : pending, event.key)
      pending = reading !== null && "pending" in reading ? reading.pending : ""
      pendingAt = event.timeStamp
      if (reading === null || !("command" in reading)) return
      event.preventDefault()
      carryOut(reading.command)
    }
    document.addEventListener("keydown", hear)
    return () => document.removeEventListener("keydown", hear)
  }, [go, label, path, showKeys])
}
