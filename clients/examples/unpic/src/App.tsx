import { image } from '@safelight/client/unpic'
import { Image } from '@unpic/react/base'
import pictures from '../pictures.json'

export default function App() {
  return (
    <main style={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fill, 300px)', gap: 10 }}>
      {pictures.map(({ template, alt, width, height }) => (
        <Image key={alt} {...image(template)} alt={alt} width={width} height={height} />
      ))}
    </main>
  )
}
