import { type Cart, lines, type Line, maxQuantity, totalCents } from "../cart.ts"
import { html, type Html } from "../html.ts"
import { formatPrice } from "../products.ts"

const line = ({ product, quantity, totalCents: total }: Line): Html =>
  html` <li class="line">
    <img src="${product.image}" alt="" width="96" height="96" />
    <div class="what">
      <a href="/products/${product.id}"><strong>${product.name}</strong></a>
      <span class="muted">${formatPrice(product.priceCents)} each</span>
    </div>
    <form class="row" method="post" action="/cart/update">
      <input type="hidden" name="product" value="${product.id}" />
      <input
        type="number"
        name="quantity"
        value="${quantity}"
        min="0"
        max="${maxQuantity}"
        aria-label="Quantity of ${product.name}"
        required
      />
      <button class="quiet">Update</button>
    </form>
    <form method="post" action="/cart/remove">
      <input type="hidden" name="product" value="${product.id}" />
      <button class="quiet" aria-label="Remove ${product.name}">Remove</button>
    </form>
    <span class="price">${formatPrice(total)}</span>
  </li>`

export const cartPage = (cart: Cart): Html => {
  const held = lines(cart)
  if (held.length === 0)
    return html`<section class="empty">
      <h1>Your cart is empty</h1>
      <p>Nothing in it yet.</p>
      <p><a class="button" href="/">See all products</a></p>
    </section>`
  return html` <h1>Your cart</h1>
    <ul class="lines">
      ${held.map(line)}
    </ul>
    <p class="total"><span>Total</span> <span class="price large">${formatPrice(totalCents(cart))}</span></p>
    <p><a href="/">Go on shopping</a></p>`
}
