/** Whether this browser tells of what waits while nobody looks: asked for by a button, and never before. */
import { useSyncExternalStore } from "react"
import { keepTold } from "./Told.ts"

/** `missing`: the browser has none. `denied`: the person, or the browser for them, said no; a page cannot ask again. */
export type Switched = "missing" | "denied" | "off" | "on"

const place = "pawl.notifications"
const watching = new Set<() => void>()

/** How it stands now. */
const switched = (): Switched => {
  if (!("Notification" in globalThis)) return "missing"
  if (Notification.permission === "denied") return "denied"
  try {
    return Notification.permission === "granted" && localStorage.getItem(place) === "on" ? "on" : "off"
  } catch {
    return "off"
  }
}

const write = (isOn: boolean): void => {
  try {
    if (isOn) localStorage.setItem(place, "on")
    else localStorage.removeItem(place)
  } catch {
    // It stays off.
  }
  for (const each of watching) each()
}

/** Asks the person, where the browser was not told yet, and switches it on if they agree. Only from a click. */
export const switchOn = async (): Promise<void> => {
  write((await Notification.requestPermission()) === "granted")
}

/** From now on nothing is told here. The browser's permission stays; only its settings take it back. */
export const switchOff = (): void => {
  keepTold(null)
  write(false)
}

/** How it stands, also when another tab switches it. */
export const useSwitched = (): Switched =>
  useSyncExternalStore((see) => {
    watching.add(see)
    addEventListener("storage", see)
    return () => {
      watching.delete(see)
      removeEventListener("storage", see)
    }
  }, switched)
