import { css, html, LitElement } from 'lit'
import { customElement, property } from 'lit/decorators.js'

@customElement('my-counter')
export class MyCounter extends LitElement {
  @property({ type: Number })
  count = 0

  render() {
    return html`
      <h1>Vite and Lit</h1>
      <button @click=${() => this.count++}>count is ${this.count}</button>
    `
  }

  static styles = css`
    :host {
      font-family: system-ui, sans-serif;
    }
  `
}

declare global {
  interface HTMLElementTagNameMap {
    'my-counter': MyCounter
  }
}
