import { html, type Html } from "../html.ts"

export const notFoundPage = (path: string): Html =>
  html` <section class="empty">
    <h1>Page not found</h1>
    <p>There is nothing at <code>${path}</code>.</p>
    <p><a class="button" href="/">See all products</a></p>
  </section>`

export const unknownUserPage: Html = html` <section class="empty">
  <h1>Nobody has that name</h1>
  <p>Pick a demo user at the top of the page and go on.</p>
</section>`

export const badRequestPage = (reason: string): Html =>
  html` <section class="empty">
    <h1>That did not work</h1>
    <p>${reason}</p>
    <p><a class="button" href="/">See all products</a></p>
  </section>`
