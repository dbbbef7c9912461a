// A login whose token is replaced before it expires. It has no dependency: use it with any GraphQL client.

/** A refusal of the server: its code, such as `UNAUTHENTICATED`, and its message. */
export class Refusal extends Error {
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

/** One login to one server. `onEnd` is called once, when the server no longer accepts its tokens: show the login form then. */
export class Session {
  #server
  #onEnd
  #token = ''
  #refreshAt = Infinity
  #refreshing = null

  constructor(server, { onEnd = () => {} } = {}) {
    this.#server = server
    this.#onEnd = onEnd
  }

  async login(username, password) {
    this.#keep(await this.#post('login', { username, password }))
  }

  /** Ends the session on the server: its other tokens, too. */
  async logout() {
    const token = this.#token
    this.#forget()
    await this.#post('logout', {}, token)
  }

  /** The token for the next request, refreshed when half of its lifetime is over. Concurrent callers share one refresh. */
  async token() {
    if (Date.now() >= this.#refreshAt) {
      this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = null))
      await this.#refreshing
    }
    return this.#token
  }

  /** Tells that the server has refused a token. Returns true if there is a newer one to try again with. */
  refused(token) {
    if (token !== this.#token) return this.#token !== ''
    if (token) {
      this.#forget()
      this.#onEnd()
    }
    return false
  }

  async #refresh() {
    const token = this.#token
    try {
      const answer = await this.#post('refresh', { token })
      if (token === this.#token) this.#keep(answer) // else somebody has logged out or in meanwhile
    } catch (error) {
      if (error.code === 'UNAUTHENTICATED') this.refused(token)
      // otherwise the server cannot be reached, or is busy: the old token is still valid, and the next call tries again
    }
  }

  #keep({ token, expiresIn }) {
    this.#token = token
    this.#refreshAt = Date.now() + (expiresIn * 1000) / 2
  }

  #forget() {
    this.#token = ''
    this.#refreshAt = Infinity
  }

  async #post(route, body, token = '') {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) }
    const response = await fetch(`${this.#server}/api/auth/${route}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (response.status === 204) return null
    const answer = await response.json()
    if (!response.ok) throw new Refusal(answer.error, answer.message)
    return answer
  }
}
