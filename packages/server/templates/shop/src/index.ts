import * as Cart from "./cart.ts"
import type { Env } from "./env.ts"
import type { Html } from "./html.ts"
import { actingUser, findUser, type User, userCookie } from "./identity/index.ts"
import { cartPage } from "./pages/cart.ts"
import { layout } from "./pages/layout.ts"
import { badRequestPage, notFoundPage, unknownUserPage } from "./pages/problems.ts"
import { listPage, productPage } from "./pages/products.ts"
import { findProduct, products } from "./products.ts"

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "private, no-cache",
  "content-security-policy": "default-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin"
}

const json = (value: unknown, status = 200): Response =>
  Response.json(value, { status, headers: { "cache-control": "no-cache" } })

/** After a form was sent: the browser gets the next page, and reloading it sends nothing again. */
const seeOther = (path: string, headers: Record<string, string> = {}): Response =>
  new Response(null, { status: 303, headers: { location: path, ...headers } })

interface Visit {
  readonly env: Env
  readonly user: User
}

const page = async ({ env, user }: Visit, title: string, body: Html, status = 200): Promise<Response> => {
  const cart = await Cart.load(env.DATA, user.id)
  return new Response(layout({ title, user, cartCount: Cart.count(cart) }, body).markup, {
    status,
    headers: pageHeaders
  })
}

const unknownUser = (path: string): Response =>
  path.startsWith("/api/")
    ? json({ error: "unknown_user" }, 401)
    : new Response(layout({ title: "Unknown user", user: undefined, cartCount: 0 }, unknownUserPage).markup, {
        status: 401,
        headers: pageHeaders
      })

/** The fields of a form; none when the body is not a form. */
const formOf = async (request: Request): Promise<FormData> => {
  try {
    return await request.formData()
  } catch {
    return new FormData()
  }
}

/** A field's text, or what stands for it when it was not sent. */
const textOf = (form: FormData, name: string, otherwise: string): string => {
  const value = form.get(name)
  return typeof value === "string" ? value : otherwise
}

const read = (visit: Visit, path: string): Promise<Response> | Response => {
  if (path === "/") return page(visit, "All products", listPage(products))
  if (path === "/cart")
    return Cart.load(visit.env.DATA, visit.user.id).then((cart) => page(visit, "Your cart", cartPage(cart)))
  if (path === "/api/products") return json({ products })
  const product = path.startsWith("/products/") ? findProduct(path.slice("/products/".length)) : undefined
  return product === undefined
    ? page(visit, "Page not found", notFoundPage(path), 404)
    : page(visit, product.name, productPage(product))
}

const changes: Readonly<Record<string, (cart: Cart.Cart, product: string, quantity: number) => Cart.Cart>> = {
  "/cart/add": Cart.add,
  "/cart/update": Cart.setQuantity,
  "/cart/remove": (cart, product) => Cart.remove(cart, product)
}

const changeCart = async (visit: Visit, path: string, request: Request): Promise<Response> => {
  const change = Object.hasOwn(changes, path) ? changes[path] : undefined
  if (change === undefined) return page(visit, "Page not found", notFoundPage(path), 404)
  const form = await formOf(request)
  const product = textOf(form, "product", "")
  const quantity = textOf(form, "quantity", "1")
  if (findProduct(product) === undefined) return page(visit, "Not found", badRequestPage("We do not sell that."), 400)
  if (!/^\d{1,6}$/.test(quantity))
    return page(visit, "Not a quantity", badRequestPage("A quantity is a whole number."), 400)
  const cart = await Cart.load(visit.env.DATA, visit.user.id)
  await Cart.save(visit.env.DATA, visit.user.id, change(cart, product, Number(quantity)))
  return seeOther("/cart")
}

const switchUser = async (request: Request): Promise<Response> => {
  const user = findUser(textOf(await formOf(request), "user", ""))
  return user === undefined ? unknownUser("/demo-user") : seeOther("/", { "set-cookie": userCookie(user) })
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const path = new URL(request.url).pathname
    // Works for a visitor whose cookie names nobody, too.
    if (request.method === "POST" && path === "/demo-user") return switchUser(request)
    const user = actingUser(request)
    if (user === undefined) return unknownUser(path)
    if (request.method === "GET" || request.method === "HEAD") return read({ env, user }, path)
    if (request.method === "POST") return changeCart({ env, user }, path, request)
    return new Response("Method not allowed\n", { status: 405, headers: { allow: "GET, HEAD, POST" } })
  }
}
