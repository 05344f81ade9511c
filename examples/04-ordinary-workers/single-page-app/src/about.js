export const render = (root) => {
  const text = document.createElement("p")
  text.textContent = "Counts what you click."
  root.replaceChildren(text)
}
