// Compiled, never run: what the types take, and what they refuse.
import { path, type Filter } from '../dist/index.js'

path('a.jpg', { width: 300, height: 'orig', crop: [0, 0, 1, 1], filters: [['blur', 5], ['padding', 'red', 1, null, 3], ['rotate', 90], ['quality', 'auto']] })
path('a.jpg', { filters: [['image', { image: 'b.png', width: 'f-20', filters: [['grayscale']] }, 'right-10', -5]] })
path('a.jpg', { filters: [['image', { image: 'b.png', width: '30p' }, 'right-2p', '-5p']] })
path('a.jpg', { filters: [['curve', 64, 56, 199, 210], ['curve', 'r', 0, 20], ['white_balance', 5600]] })
path('a.jpg', { preset: ['card', 320, null, 'top'] })

// @ts-expect-error no filter of that name
const unknown: Filter = ['blurr', 5]
// @ts-expect-error an argument is missing
const missing: Filter = ['brightness']
// @ts-expect-error one argument too many
const many: Filter = ['grayscale', 1]
// @ts-expect-error not one of its words
const word: Filter = ['rotate', 45]
// @ts-expect-error text for a number
const kind: Filter = ['blur', 'strong']
// @ts-expect-error no channel of that name
const channel: Filter = ['curve', 'c', 1, 2]
// @ts-expect-error no operation of that name
path('a.jpg', { widht: 300 })
// @ts-expect-error only layers follow the picture below
path('a.jpg', { width: 'f-20' })
// @ts-expect-error as above
path('a.jpg', { width: '30p' })

export { unknown, missing, many, word, kind, channel }
