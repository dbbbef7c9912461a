import { Client, fetchExchange, type AnyVariables } from '@urql/core'
import type { TypedDocumentNode } from '@graphql-typed-document-node/core'

/** A signed-in connection to one server. */
export class Safelight {
  private constructor(
    readonly address: string,
    readonly token: string,
    private readonly client: Client,
  ) {}

  /** Signs in with a name and a password; the token goes with every later request. */
  static async login(address: string, username: string, password: string): Promise<Safelight> {
    const answer = await fetch(`${address}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username, password }),
    })
    const body = (await answer.json()) as { token?: string; error?: string; message?: string }
    if (!answer.ok || !body.token) throw new Error(`${body.error}: ${body.message}`)
    const client = new Client({
      url: `${address}/api/graphql`,
      exchanges: [fetchExchange],
      preferGetMethod: false,
      fetchOptions: { headers: { Authorization: `Bearer ${body.token}` } },
    })
    return new Safelight(address, body.token, client)
  }

  /** Asks a query; data is typed by the document. Throws what the server refused. */
  async query<Data, Variables extends AnyVariables>(document: TypedDocumentNode<Data, Variables>, variables: Variables): Promise<Data> {
    const { data, error } = await this.client.query(document, variables).toPromise()
    if (error) throw error
    return data as Data
  }

  /** Does a mutation. Blobs among the variables are sent as files. */
  async mutate<Data, Variables extends AnyVariables>(document: TypedDocumentNode<Data, Variables>, variables: Variables): Promise<Data> {
    const { data, error } = await this.client.mutation(document, variables).toPromise()
    if (error) throw error
    return data as Data
  }

  /** Fetches a picture by a URL that the server gave, absolute or not. */
  async picture(url: string): Promise<Blob> {
    const answer = await fetch(new URL(url, this.address))
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
    return answer.blob()
  }
}
