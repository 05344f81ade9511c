import { html, type Html } from "../html.ts"
import { type User, users } from "../identity/index.ts"

export interface Frame {
  readonly title: string
  /** `undefined` when nobody is acting: the name is one that nobody has. */
  readonly user: User | undefined
  readonly cartCount: number
}

const picker = (current: User | undefined): Html =>
  html`<form class="picker" method="post" action="/demo-user">
    <label for="user">Shopping as</label>
    <select id="user" name="user">
      ${users.map((user) => html`<option value="${user.id}" ${user.id === current?.id && html`selected`}>${user.name}</option>`)}
    </select>
    <button class="quiet">Switch</button>
  </form>`

const badge = (count: number): Html => html`<span class="count" aria-label="${count} in the cart">${count}</span>`

export const layout = (frame: Frame, body: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${frame.title} · Tidewater</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        <header class="bar">
          <a class="brand" href="/"><img src="/favicon.svg" alt="" width="28" height="28" />Tidewater</a>
          ${picker(frame.user)}
          <a class="cart-link" href="/cart">Cart ${badge(frame.cartCount)}</a>
        </header>
        <main id="content">${body}</main>
        <footer>
          <p>Tidewater is a demonstration. Nothing is sold, nothing is sent, and nobody signs in.</p>
          <p><a href="/api/products">Products as JSON</a></p>
        </footer>
      </body>
    </html> `
