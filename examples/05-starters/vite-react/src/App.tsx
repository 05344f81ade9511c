import { useState } from 'react'
import mark from './assets/mark.svg'
import './App.css'

function App() {
  const [count, setCount] = useState(0)

  return (
    <>
      <img src={mark} className="mark" alt="" />
      <h1>Vite and React</h1>
      <button onClick={() => setCount((count) => count + 1)}>count is {count}</button>
    </>
  )
}

export default App
