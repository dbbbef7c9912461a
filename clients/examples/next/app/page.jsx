import Image from 'next/image'
import pictures from '../pictures.json'

export default function Page() {
  return pictures.map(({ template, alt, width, height }) => <Image key={alt} src={template} alt={alt} width={width} height={height} />)
}
