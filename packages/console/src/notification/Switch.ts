/** Whether this browser tells of what waits while nobody looks: asked for by a button, and never before. */
import { useSyncExternalStore } from "react"
import { keepTold } from "./Told.ts"

/** `missing`: the browser has none. `denied`: the person, or the browser for them, said no; a page cannot ask again. */
export type Switched = "missing" | "denied" | "off" | "on"

const place = "pawl.notifications"
const watching = new Set<() => void>()
const tellAll = (): void => {
  for (const each of watching) each()
}

/** What the browser allows, as far as it has said so. */
let allowed: NotificationPermission | "missing" = "missing"
let isAsked = false

/** `Notification.permission` has the page wait for another process, for tens of ms on a slow machine: this does not. */
const ask = async (): Promise<void> => {
  if (isAsked || !("Notification" in globalThis)) return
  isAsked = true
  const permission = await navigator.permissions.query({ name: "notifications" })
  const hear = () => {
    allowed = permission.state === "prompt" ? "default" : permission.state
    tellAll()
  }
  permission.addEventListener("change", hear)
  hear()
}

/** How it stands now. */
const switched = (): Switched => {
  if (allowed === "missing" || allowed === "denied") return allowed
  try {
    return allowed === "granted" && localStorage.getItem(place) === "on" ? "on" : "off"
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
  tellAll()
}

/** Asks the person, where the browser was not told yet, and switches it on if they agree. Only from a click. */
export const switchOn = async (): Promise<void> => {
  allowed = await Notification.requestPermission()
  write(allowed === "granted")
}

/** From now on nothing is told here. The browser's permission stays; only its settings take it back. */
export const switchOff = (): void => {
  keepTold(null)
  write(false)
}

/** How it stands, also when another tab switches it; `missing` until the browser has said. */
export const useSwitched = (): Switched =>
  useSyncExternalStore((see) => {
    watching.add(see)
    ask().catch(() => {
      allowed = Notification.permission
      tellAll()
    })
    addEventListener("storage", see)
    return () => {
      watching.delete(see)
      removeEventListener("storage", see)
    }
  }, switched)
