import type { DataStore } from "./env.ts"
import { findProduct, type Product } from "./products.ts"

/** How many of each product, by its id. */
export type Cart = ReadonlyMap<string, number>

export interface Line {
  readonly product: Product
  readonly quantity: number
  readonly totalCents: number
}

export const maxQuantity = 99

/** Sets how many of a product the cart holds: 0 removes it, and more than 99 becomes 99. */
export const setQuantity = (cart: Cart, productId: string, quantity: number): Cart => {
  const next = new Map(cart)
  if (quantity <= 0) next.delete(productId)
  else next.set(productId, Math.min(quantity, maxQuantity))
  return next
}

export const add = (cart: Cart, productId: string, quantity = 1): Cart =>
  setQuantity(cart, productId, (cart.get(productId) ?? 0) + quantity)

export const remove = (cart: Cart, productId: string): Cart => setQuantity(cart, productId, 0)

/** What the cart holds, without products that are no longer sold. */
export const lines = (cart: Cart): ReadonlyArray<Line> =>
  [...cart].flatMap(([id, quantity]) => {
    const product = findProduct(id)
    return product === undefined ? [] : [{ product, quantity, totalCents: product.priceCents * quantity }]
  })

export const count = (cart: Cart): number => lines(cart).reduce((sum, line) => sum + line.quantity, 0)

export const totalCents = (cart: Cart): number => lines(cart).reduce((sum, line) => sum + line.totalCents, 0)

const isQuantity = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= maxQuantity

/** A stored cart; an empty one when there is none, or when it cannot be read. */
export const parse = (text: string | null): Cart => {
  try {
    const value: unknown = JSON.parse(text ?? "{}")
    if (typeof value !== "object" || value === null) return new Map()
    return new Map(
      Object.entries(value).flatMap(([id, quantity]) => (isQuantity(quantity) ? [[id, quantity] as const] : []))
    )
  } catch {
    return new Map()
  }
}

const key = (userId: string): string => `cart:${userId}`

export const load = async (data: DataStore, userId: string): Promise<Cart> => parse(await data.get(key(userId)))

export const save = async (data: DataStore, userId: string, cart: Cart): Promise<void> =>
  cart.size === 0 ? data.delete(key(userId)) : data.put(key(userId), JSON.stringify(Object.fromEntries(cart)))
